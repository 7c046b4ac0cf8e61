import { useQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense, useEffect } from 'react'
import type { Output } from '#contract/contract'
import { query } from '../../state/reads/queries.ts'
import { loadTexts, useTranslation } from '../../state/i18n.ts'
import { lazyPart } from '../../state/loading/code.ts'
import { logError } from '../../state/log.ts'
import { useRoleAllows } from '../../state/team/team.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Odometer } from '../../ui/odometer.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Banners } from './banners.tsx'
import { Earnings } from './earnings.tsx'
import styles from './referral-tab.module.css'

const TakeOut = lazyPart(async () => {
  const [{ TakeOut: part }] = await Promise.all([import('./take-out.tsx'), loadTexts('payouts')])
  return part
})

type Info = Output<'legacy_referal_info'>[number]

const intervalMs = 10_000

/** The referral programme: balance, earnings, links and banners to share, how it works. */
export function ReferralTab() {
  const { data, error } = useQuery({
    ...query('legacy_referal_info', {}),
    staleTime: 0,
    refetchInterval: intervalMs,
  })
  useEffect(() => {
    if (error !== null) logError('the referral programme could not be read', error)
  }, [error])
  return <Referral info={data?.[0]} isFailed={error !== null} />
}

function Referral({ info, isFailed }: { info: Info | undefined; isFailed: boolean }) {
  const { t } = useTranslation(['userPanel', 'referral'])
  const { usd, number, percent } = useFormat()
  const mayBuy = useRoleAllows('referral_payment')
  const seesPayouts = useRoleAllows('get_payouts')
  // A failure shows no message, but unknown values are not shown as loading.
  const figure = (format: (known: Info) => string) =>
    info === undefined ? (isFailed ? '—' : undefined) : format(info)
  return (
    <div className={styles.referral}>
      <dl className={styles.board}>
        <Figure name={t('referral:balance')} value={figure(({ balance }) => usd(balance))} highlighted>
          {mayBuy && (
            <Button size="small" href="/purchase?method=referral">
              {t('referral:spend')}
            </Button>
          )}
        </Figure>
        <Figure name={t('referral:count')} value={figure(({ ref_num: count }) => number(count))} />
        <Figure name={t('referral:percent')} value={figure((known) => percent(known.percent))} />
      </dl>
      <Earnings />
      {seesPayouts && (
        <Suspense fallback={null}>
          <TakeOut />
        </Suspense>
      )}
      <div className={styles.columns}>
        <section className={styles.links} aria-labelledby="referral-links">
          <h2 id="referral-links" className={styles.heading}>
            {t('referral:links')}
          </h2>
          <LinkRow name={t('referral:website')} address={figure(({ links }) => links.website)} />
          {info?.links.telegram != null && <LinkRow name="Telegram" address={info.links.telegram} />}
        </section>
        <section aria-labelledby="referral-how">
          <h2 id="referral-how" className={styles.heading}>
            {t('referral:how')}
          </h2>
          <ol className={styles.steps}>
            <li>{t('referral:step1')}</li>
            <li>
              {info === undefined
                ? t('referral:step2')
                : t('referral:step2Percent', { percent: percent(info.percent) })}
            </li>
            <li>{t('referral:step3')}</li>
          </ol>
        </section>
      </div>
      <Banners link={info?.links.website} />
    </div>
  )
}

interface FigureProps {
  name: string
  value: string | undefined
  /** Highlights the figure. */
  highlighted?: boolean
  children?: ReactNode
}

function Figure({ name, value, highlighted, children }: FigureProps) {
  return (
    <div className={styles.figure}>
      <dt className={styles.name}>{name}</dt>
      <dd className={highlighted ? styles.highlighted : styles.value}>
        {value === undefined ? <Skeleton characters={5} /> : <Odometer value={value} />}
      </dd>
      {children !== undefined && <dd className={styles.action}>{children}</dd>}
    </div>
  )
}

function LinkRow({ name, address }: { name: string; address: string | undefined }) {
  const { t } = useTranslation(['userPanel', 'userBtns', 'referral'])
  return (
    <div className={styles.link}>
      <span className={styles.linkName}>{name}</span>
      <span className={styles.address}>
        {address === undefined ? (
          <Skeleton characters={32} />
        ) : (
          <code translate="no" className={styles.text}>
            {address}
          </code>
        )}
      </span>
      <CopyButton
        text={address ?? ''}
        label={t('userBtns:copy.act')}
        copiedLabel={t('userBtns:copy.done')}
        failedLabel={t('userBtns:copy.failed')}
      />
    </div>
  )
}
