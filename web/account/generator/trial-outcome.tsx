import type { Output } from '#contract/contract'
import { countryName } from '#contract/countries'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { RepairButton, useAdvice } from '../requests/advice.tsx'
import styles from './trial.module.css'

type Own = 'gateway_unreachable' | 'trial_timeout' | 'unexpected_answer'
const isOwn = (code: string): code is Own =>
  code === 'gateway_unreachable' || code === 'trial_timeout' || code === 'unexpected_answer'

/** The result of a trial, and what to do if it failed. */
export function TrialOutcome({ trial, pool }: { trial: Output<'try_line'>; pool: string }) {
  const { t } = useTranslation('generator')
  const { number } = useFormat()
  const language = useLanguage()
  const adviceOf = useAdvice()
  const {
    ok,
    code,
    address,
    country,
    registered_country: registered,
    asn,
    as_name: name,
    status,
    latency_ms: ms,
    request_id: id,
  } = trial
  const facts: [name: string, value: string][] = [
    ...(address === null ? [] : ([[t('try.address'), address]] as [string, string][])),
    [t('try.country'), country === null ? t('try.unknown') : countryName(country, language)],
    ...(address === null
      ? []
      : ([
          [t('try.registered'), registered === null ? t('try.unknown') : countryName(registered, language)],
        ] as [string, string][])),
    [t('try.asn'), asn === null ? t('try.unknown') : `AS${asn}${name === null ? '' : ` ${name}`}`],
    [t('try.latency'), t('try.ms', { ms: number(ms) })],
    [t('try.status'), status === null ? t('try.none') : String(status)],
    ...(id === null ? [] : ([[t('try.request'), id]] as [string, string][])),
  ]
  return (
    <div className={styles.outcome}>
      <p className={ok ? styles.good : styles.bad}>
        {code === null
          ? t('try.good')
          : isOwn(code)
            ? t(`try.code.${code}`)
            : adviceOf({ outcome: 'refused', code })}
      </p>
      <dl className={styles.facts}>
        {facts.map(([fact, value]) => (
          <div key={fact} className={styles.fact}>
            <dt>{fact}</dt>
            <dd translate="no" className="mono">
              {value}
            </dd>
          </div>
        ))}
      </dl>
      {country !== null && registered !== null && country !== registered && (
        <p className={styles.source}>{t('try.differ')}</p>
      )}
      {name !== null && (
        // The licence of the table requires a link where it is used.
        <p className={styles.source}>
          <span>{t('try.source')}</span>{' '}
          <a href="https://db-ip.com" target="_blank" rel="noreferrer">
            DB-IP
          </a>
        </p>
      )}
      {code !== null && !isOwn(code) && (
        <RepairButton outcome="refused" code={code} pool={pool} size="small" />
      )}
    </div>
  )
}
