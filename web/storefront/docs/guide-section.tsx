import { gatewayAnswers } from '#contract/gateway/refusals'
import { apiChanges } from '#contract/openapi/changes'
import { defaultSessionMinutes } from '#contract/session-times'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useSite } from '../../state/site.ts'
import { soldPool, useSitePools } from '../../state/places/sold-pools.ts'
import { CodeTabs } from '../../ui/code/code-tabs.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import styles from './docs.module.css'
import { shopOrigin } from './document.ts'
import { guide, type Section } from './guide.ts'
import { Inline } from './inline.tsx'
import { errorShape, firstRequest, proxyStatus } from './samples.ts'
import { matches } from './search.ts'

/** The figures in the texts. */
const facts = { minutes: String(defaultSessionMinutes) }

/** The sections that match a query, by group. */
export function useGuide(query: string) {
  const { t } = useTranslation(['docs', 'gatewayRefusals'])
  const language = useLanguage()
  const textOf = ({ title, paragraphs, rows = [], extra }: Section) =>
    [
      t(title),
      ...paragraphs.map((key) => t(key, facts)),
      ...rows.map(({ name, text }) => `${name} ${t(text)}`),
      ...(extra === 'codes'
        ? gatewayAnswers.flatMap(({ status, codes }) =>
            codes.map((code) => `${status} ${code} ${t(`gatewayRefusals:advice.${code}`)}`),
          )
        : []),
      ...(extra === 'changes'
        ? apiChanges.flatMap(({ on, what }) => [on, ...what.map((texts) => texts[language])])
        : []),
    ].join(' ')
  return guide
    .map(({ title, sections }) => ({
      title,
      sections: sections.filter((section) => matches(query, textOf(section))),
    }))
    .filter(({ sections }) => sections.length > 0)
}

/** A section before the calls; of the gateway's codes it shows those that match the query. */
export function GuideSection({ section, query }: { section: Section; query: string }) {
  const { t } = useTranslation('docs')
  const { id, title, paragraphs, rows, extra } = section
  return (
    <section id={id} className={styles.section}>
      <h2 className={styles.title}>{t(title)}</h2>
      {paragraphs.map((key) => (
        <p key={key}>
          <Inline text={t(key, facts)} />
        </p>
      ))}
      {rows !== undefined && (
        <dl className={styles.rows}>
          {rows.map(({ name, text }) => (
            <div key={name} className={styles.row}>
              <dt>
                <code translate="no">{name}</code>
              </dt>
              <dd>
                <Inline text={t(text)} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {extra === 'firstRequest' && <FirstRequest />}
      {extra === 'error' && <Code name={t('errors.title')} code={errorShape} />}
      {extra === 'ports' && <Ports />}
      {extra === 'changes' && <Changes />}
      {extra === 'codes' && (
        <>
          <Code name={t('answers.title')} code={proxyStatus} />
          <Codes query={query} />
        </>
      )}
    </section>
  )
}

/** A block of code with a button that copies it. */
export function Code({ name, code }: { name: string; code: string }) {
  const { t } = useTranslation('docs')
  return (
    <CodeTabs
      label={name}
      tabs={[{ key: 'code', name, code }]}
      labels={{ copy: t('copy.code'), copied: t('copy.done'), copyFailed: t('copy.failed') }}
    />
  )
}

function FirstRequest() {
  const { t } = useTranslation('docs')
  const gateway = useSite()?.gateway
  const pool = soldPool(useSitePools().sold, 'residential')
  const proxy = gateway === undefined ? 'HOST:PORT' : `${gateway.host}:${gateway.ports[pool]}`
  return <Code name={t('start.sample')} code={firstRequest(shopOrigin(), proxy, pool)} />
}

function Changes() {
  const language = useLanguage()
  return (
    <dl className={styles.rows}>
      {apiChanges.map(({ on, what }) => (
        <div key={on} className={styles.row}>
          <dt>
            <time translate="no" dateTime={on}>
              {on}
            </time>
          </dt>
          {what.map((texts) => (
            <dd key={texts.en}>
              <Inline text={texts[language]} />
            </dd>
          ))}
        </div>
      ))}
    </dl>
  )
}

function Ports() {
  const { t } = useTranslation(['docs', 'header'])
  const gateway = useSite()?.gateway
  const { sold } = useSitePools()
  return (
    <dl className={styles.rows}>
      <div className={styles.row}>
        <dt>{t('connect.host')}</dt>
        <dd>
          {gateway === undefined ? <Skeleton characters={16} /> : <code translate="no">{gateway.host}</code>}
        </dd>
      </div>
      {sold.map((pool) => (
        <div key={pool} className={styles.row}>
          <dt>{t(`header:pools.${pool}`)}</dt>
          <dd>
            {gateway === undefined ? (
              <Skeleton characters={5} />
            ) : (
              <code translate="no">{gateway.ports[pool]}</code>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Codes({ query }: { query: string }) {
  const { t } = useTranslation(['docs', 'gatewayRefusals'])
  const all = gatewayAnswers.flatMap(({ status, codes }) =>
    codes.map((code) => ({ status, code, text: t(`gatewayRefusals:advice.${code}`) })),
  )
  const matching = all.filter(({ status, code, text }) => matches(query, `${status} ${code} ${text}`))
  return (
    <dl className={styles.rows}>
      {(matching.length > 0 ? matching : all).map(({ status, code, text }) => (
        <div key={code} id={`code-${code}`} className={styles.row}>
          <dt>
            <code translate="no">{`${status} ${code}`}</code>
          </dt>
          <dd>
            <Inline text={text} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
