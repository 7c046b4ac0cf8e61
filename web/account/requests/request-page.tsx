import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'
import { CallError } from '#contract/client'
import type { Output } from '#contract/contract'
import { pools } from '#contract/wire'
import { query } from '../../state/reads/queries.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { formatExactTime } from '../../ui/format-time.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { listHref } from '#contract/account-tabs'
import { useAdvice } from './advice.tsx'
import { Outcome } from './outcome.tsx'
import { RepairAct } from './repair-act.tsx'
import styles from './request-page.module.css'
import { Timeline } from './timeline.tsx'
import { useFigures } from './use-figures.ts'

type Explained = Output<'explain_request'>

/** One request: its course, its cost, and what to do if it failed. */
export function RequestPage({ id }: { id: string }) {
  const { t } = useTranslation('requests')
  const [search] = useSearchParams()
  const { data, error, refetch } = useQuery({ ...query('explain_request', { id }), retry: false })
  if (data !== undefined) return <Details one={data} />
  if (error !== null) {
    const isUnknown = error instanceof CallError && error.status === 404
    return (
      <Card className={styles.message} role="status">
        <p className={styles.messageTitle}>{t(isUnknown ? 'one.notFound' : 'failed')}</p>
        {isUnknown && <p>{t('one.notFoundText')}</p>}
        {isUnknown ? (
          <Button href={listHref(search)}>{t('one.back')}</Button>
        ) : (
          <Button onClick={() => void refetch()}>{t('retry')}</Button>
        )}
      </Card>
    )
  }
  return (
    <Card className={styles.skeleton} aria-hidden="true">
      <Skeleton characters={18} />
      <Skeleton characters={40} />
      <Skeleton characters={32} />
    </Card>
  )
}

function Details({ one }: { one: Explained }) {
  const code = one.refusal?.code ?? null
  const { t } = useTranslation('requests')
  const adviceOf = useAdvice()
  const advice = adviceOf({ outcome: one.outcome, code })
  return (
    <div className={styles.page}>
      <Card as="section" className={styles.head}>
        <h2 className={styles.site}>{one.target ?? t('noHost')}</h2>
        <Outcome outcome={one.outcome} code={code} />
        {advice !== null && (
          <div className={styles.fix}>
            <h3 className={styles.fixTitle}>{t('one.fix')}</h3>
            <p>{advice}</p>
            <RepairAct
              failed={{ ...one, code, sentence: one.refusal?.sentence ?? null }}
              at={one.accepted_at}
              variant="primary"
            />
          </div>
        )}
      </Card>
      <div className={styles.columns}>
        <Card as="section">
          <h2 className={styles.title}>{t('one.timeline')}</h2>
          <Timeline steps={one.timeline_ms} />
        </Card>
        <Cost one={one} />
      </div>
      <Facts one={one} />
      {one.unkept_in_this_minute > 0 && (
        <p className={styles.lost}>{t('one.lost', { count: one.unkept_in_this_minute })}</p>
      )}
    </div>
  )
}

function Cost({ one }: { one: Explained }) {
  const { t } = useTranslation('requests')
  const { bytes } = useFigures()
  const charged = one.charged_bytes.up + one.charged_bytes.down
  const parts = [
    [t('one.up'), one.bytes.up],
    [t('one.down'), one.bytes.down],
    [t('one.charged'), charged],
  ] as const
  return (
    <Card as="section">
      <h2 className={styles.title}>{t('one.cost')}</h2>
      <dl className={styles.cost}>
        {parts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd translate="no" className="mono">
              {bytes(value)}
            </dd>
          </div>
        ))}
      </dl>
      <p className={styles.why}>
        {`${charged === 0 ? t('one.free') : one.multiplier === 1 ? t('one.whyOne') : t('one.why', { multiplier: one.multiplier })}${one.forgiven_bytes > 0 ? ` ${t('one.forgiven', { traffic: bytes(one.forgiven_bytes) })}` : ''}`}
      </p>
    </Card>
  )
}

function Facts({ one }: { one: Explained }) {
  const { t } = useTranslation(['requests', 'header'])
  const language = useLanguage()
  const { country } = useFigures()
  const pool = pools.find((each) => each === one.pool)
  const { refusal, exit_said: said } = one
  const exitSaid = [
    said?.status == null ? null : t('requests:one.exitStatus', { status: said.status }),
    said?.word ?? null,
  ].filter((part) => part !== null)
  const facts: [string, string | null][] = [
    [t('requests:one.when'), formatExactTime(one.accepted_at, language)],
    [t('requests:one.pool'), pool === undefined ? one.pool : t(`header:pools.${pool}`)],
    [t('requests:user'), one.user_label ?? one.user],
    [t('requests:one.protocol'), one.protocol.toUpperCase()],
    [t('requests:one.settings'), one.settings],
    [t('requests:one.exit'), one.country === null ? null : country(one.country)],
    [t('requests:one.answer'), refusal === null ? null : answerOf(refusal)],
    [t('requests:one.exitSaid'), exitSaid.length === 0 ? null : exitSaid.join(', ')],
  ]
  return (
    <Card as="section">
      <dl className={styles.facts}>
        <div>
          <dt>{t('requests:one.number')}</dt>
          <dd className={styles.id}>
            <code translate="no">{one.id}</code>
            <CopyButton
              iconOnly
              text={one.id}
              label={t('requests:one.copy')}
              copiedLabel={t('requests:one.copied')}
              failedLabel={t('requests:one.copyFailed')}
            />
          </dd>
        </div>
        {facts.map(
          ([name, value]) =>
            value !== null && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
    </Card>
  )
}

const answerOf = ({ status, code, sentence }: NonNullable<Explained['refusal']>) =>
  [status, code].filter((part) => part !== null).join(' ') + (sentence === '' ? '' : `: ${sentence}`)
