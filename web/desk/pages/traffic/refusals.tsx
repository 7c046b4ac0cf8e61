import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Section } from '../../parts/section.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { useRefusalReason } from '../../subjects/refusal-reason.ts'
import styles from './traffic.module.css'
import { CustomerLink } from '../../subjects/customer-link.tsx'

type Code = DeskOutput<'refusals'>[number]
type Example = Code['examples'][number]

const freshMs = 60_000

/** The refusals of gateways by code; each opens its latest examples. */
export function Refusals({ from, until }: { from: string; until: string }) {
  const { t } = useTranslation('deskTraffic')
  const { number, percent } = useFigures()
  const reasonOf = useRefusalReason()
  const refusals = useQuery({
    ...query('refusals', { from, until }),
    refetchInterval: freshMs,
    placeholderData: (before) => before,
  })
  return (
    <Section title={t('traffic.refusals')}>
      <Loaded query={refusals}>
        {(codes) => {
          const all = codes.reduce((sum, { requests }) => sum + Number(requests), 0)
          return codes.length === 0 ? (
            <p className={styles.note}>{t('traffic.noRefusals')}</p>
          ) : (
            <ul className={styles.codes}>
              {codes.map(({ code, requests, examples }) => (
                <li key={code}>
                  <details>
                    <summary className={styles.code}>
                      <code translate="no">{code}</code>
                      <span>{reasonOf(code)}</span>
                      <span translate="no" className={styles.count}>
                        {number(requests)}
                      </span>
                      <span className={styles.quiet}>
                        {t('traffic.refusalShare', { share: percent(Number(requests) / all) })}
                      </span>
                    </summary>
                    <Examples examples={examples} />
                  </details>
                </li>
              ))}
            </ul>
          )
        }}
      </Loaded>
    </Section>
  )
}

function Examples({ examples }: { examples: readonly Example[] }) {
  const { t } = useTranslation(['deskTraffic', 'header'])
  const may = useMay()
  return (
    <ul className={styles.examples} aria-label={t('traffic.examples')}>
      {examples.map((example) => {
        const facts = [
          example.pool === null ? null : t(`header:pools.${example.pool}`),
          example.exit,
          example.country?.toUpperCase() ?? null,
          example.protocol,
          example.status === null ? null : String(example.status),
        ].filter((fact) => fact !== null && fact !== '')
        const word = [example.exit_status, example.exit_word].filter((part) => part !== null).join(' ')
        return (
          <li key={example.request_id}>
            <Moment iso={example.at} recent />
            {example.customer_id !== null && (
              <CustomerLink id={example.customer_id} name={example.customer_name} />
            )}
            <span className={styles.quiet}>{facts.join(' · ')}</span>
            {example.sentence !== null && (
              <span>
                <span>{`${t('traffic.told')}:`}</span> <q>{example.sentence}</q>
              </span>
            )}
            {word !== '' && (
              <span>
                <span>{`${t('traffic.reply')}:`}</span> <q>{word}</q>
              </span>
            )}
            {may('connections') && (
              <Link to={`/connections?request_id=${example.request_id}`}>{t('traffic.request')}</Link>
            )}
          </li>
        )
      })}
    </ul>
  )
}
