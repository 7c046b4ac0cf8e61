import type { ReactNode } from 'react'
import type { Output } from '#contract/contract'
import { declineWords, offWords } from '#contract/topup/words'
import { pools } from '#contract/wire'
import { useOptionalRead } from '../../state/reads/optional-read.ts'
import { query } from '../../state/reads/queries.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import type { Session } from '../../state/session.ts'
import { roleAllows } from '../../state/team/team.ts'
import { useFormat } from '../../state/use-format.ts'
import { useView } from '../../state/view.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { balanceOf, knownPools, usablePools } from '../profile.ts'
import { RepairAct } from '../requests/repair-act.tsx'
import { isToday } from '../requests/repairs.ts'
import { invoiceHref } from '#contract/account-tabs'
import { topUpsQuery } from '../topup/queries.ts'
import styles from './attention-card.module.css'
import { useResend } from './use-resend.ts'

/** A pool whose traffic lasts shorter than this at the rate of the last day is low. */
const lowHours = 24

interface Item {
  key: string
  text: string
  act: ReactNode
}

interface AttentionProps {
  user: Session
  day: Output<'get_overview'>
  /** The steps of a new customer already say this. */
  withoutMail: boolean
}

/** The events that need the customer's attention, each with what to do; nothing if there are none. */
export function AttentionCard(props: AttentionProps) {
  const { t } = useTranslation('requests')
  const items = [
    ...useCaps(props),
    ...useTraffic(props),
    ...useTopUps(props),
    ...useInvoices(props),
    ...useMail(props),
  ]
  if (items.length === 0) return null
  return (
    <Card as="section" tone="highlighted" aria-labelledby="attention">
      <h2 id="attention" className={styles.title}>
        {t('overview.attention.title')}
      </h2>
      <ul className={styles.list}>
        {items.map(({ key, text, act }) => (
          <li key={key} className={styles.item}>
            <p>{text}</p>
            {act}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function usePoolName() {
  const { t } = useTranslation(['header'])
  return (name: string | null) => {
    const pool = pools.find((each) => each === name)
    return pool === undefined ? '' : t(`header:pools.${pool}`)
  }
}

/** A cap that was reached today; those of earlier days have no effect any more. */
function useCaps({ day }: AttentionProps): Item[] {
  const { t } = useTranslation('requests')
  const nameOf = usePoolName()
  return day.refusals
    .filter(({ code, last_at: at }) => code === 'cap_reached' && isToday(at))
    .map((one) => ({
      key: `cap ${one.last_id}`,
      text: t('overview.attention.cap', { pool: nameOf(one.pool) }),
      act: <RepairAct failed={{ ...one, outcome: 'refused' }} at={one.last_at} size="small" />,
    }))
}

function useTraffic({ user, day }: AttentionProps): Item[] {
  const { t } = useTranslation('requests')
  const { traffic } = useFormat()
  const nameOf = usePoolName()
  const notices = useOptionalRead(query('get_notices', {}))
  // When all is used up, the page says so itself.
  const known = usablePools(user).length === 0 ? [] : knownPools(user)
  const mayBuy = roleAllows(user, 'create_invoice_web')
  return known.flatMap((pool) => {
    const bytes = balanceOf(user, pool)
    const hours = day.pools.find((each) => each.pool === pool)?.hours_left ?? null
    const isBelow = bytes < BigInt(notices?.below_bytes ?? 0)
    if (bytes > 0n && !isBelow && (hours === null || hours >= lowHours)) return []
    const facts = { pool: nameOf(pool), traffic: traffic(bytes) }
    return {
      key: `traffic ${pool}`,
      text: t(bytes <= 0n ? 'overview.attention.usedUp' : 'overview.attention.low', facts),
      act: mayBuy && (
        <Button size="small" href={`/purchase?pool=${pool}`}>
          {t('repair.buy')}
        </Button>
      ),
    }
  })
}

function useTopUps({ user }: AttentionProps): Item[] {
  const { t } = useTranslation(['requests', 'userBtns'])
  const language = useLanguage()
  const nameOf = usePoolName()
  const data = useOptionalRead({ ...topUpsQuery(language), enabled: roleAllows(user, 'get_top_ups') })
  const mayBuy = roleAllows(user, 'create_invoice_web')
  return (data?.pools ?? []).flatMap(({ pool, last, off_reason: off }) => {
    const facts = { pool: nameOf(pool) }
    const url = last?.payment_url ?? null
    if (url !== null)
      return {
        key: `top-up ${pool}`,
        text: t('requests:overview.attention.topUpWaits', facts),
        act: (
          <Button size="small" href={url}>
            {t('userBtns:topUp.pay')}
          </Button>
        ),
      }
    if (last?.state !== 'failed' && off === null) return []
    const reason =
      off !== null ? offWords[language][off] : last?.reason == null ? '' : declineWords[language][last.reason]
    return {
      key: `top-up ${pool}`,
      text: `${t('requests:overview.attention.topUpFailed', facts)} ${reason}`.trim(),
      act: mayBuy && (
        <Button size="small" href={`/purchase?pool=${pool}`}>
          {t('requests:repair.buy')}
        </Button>
      ),
    }
  })
}

/** Invoices whose payment page is still open. */
function useInvoices({ user }: AttentionProps): Item[] {
  const { t } = useTranslation('requests')
  const { usd } = useFormat()
  const nameOf = usePoolName()
  const data = useOptionalRead({
    ...query('invoices', {}),
    staleTime: 0,
    enabled: roleAllows(user, 'invoices'),
  })
  return (data ?? [])
    .filter(({ payment_url: url }) => url !== null)
    .slice(0, 3)
    .map(({ number, state, pool, cost_usd: amount }) => ({
      key: `invoice ${number}`,
      text: t(state === 'underpaid' ? 'overview.attention.underpaid' : 'overview.attention.invoice', {
        amount: usd(amount),
        pool: nameOf(pool),
      }),
      act: (
        <Button size="small" href={invoiceHref(number)}>
          {t('overview.attention.pay')}
        </Button>
      ),
    }))
}

function useMail({ user, withoutMail }: AttentionProps): Item[] {
  const { t } = useTranslation(['requests', 'userBtns'])
  const isView = useView() !== null
  const { mutate, isPending, isSuccess } = useResend()
  // A member is not the one who gets the letter.
  if (withoutMail || user.acting !== undefined || user.email === null || user.confirmed) return []
  return [
    {
      key: 'mail',
      text: t('requests:overview.attention.mail', { email: user.email }),
      act: !isView && !isSuccess && (
        <Button size="small" pending={isPending} onClick={() => mutate()}>
          {t('userBtns:confirmAgain')}
        </Button>
      ),
    },
  ]
}
