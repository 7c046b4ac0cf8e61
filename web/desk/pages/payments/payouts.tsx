import { useCallback, useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import type { DeskInput } from '#contract/desk/contract'
import { isOpenPayout, networkNames, payoutNetworks, payoutStates } from '#contract/referral/payout'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { ChoiceFilter, DayFilter, FilterBar } from '../../parts/filters.tsx'
import { given } from '../../parts/given.ts'
import { Moment } from '../../parts/moment.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { useMay } from '../../state/session.ts'
import { CustomerLink } from '../../subjects/customer-link.tsx'
import type { Column } from '../../table/columns.ts'
import { List, type RowOf } from '../../table/list.tsx'
import { PayDialog, RefuseDialog, TakeDialog } from './payout-dialogs.tsx'
import styles from './payments.module.css'

type Filters = Omit<DeskInput<'payouts'>, 'after' | 'limit'>
type Row = RowOf<'payouts'>
type ActName = 'take' | 'pay' | 'refuse'

const tones: Readonly<Record<Row['state'], Tone>> = {
  requested: 'warning',
  sending: 'warning',
  paid: 'good',
  refused: 'bad',
  cancelled: 'quiet',
}

const dialogs = { take: TakeDialog, pay: PayDialog, refuse: RefuseDialog } as const

/** Payouts of referral balances: the requests, and the acts by which staff send or refuse them. */
export function Payouts() {
  const { t } = useTranslation(['deskPayouts', 'deskPages', 'deskMoney'])
  const [search] = useSearchParams()
  const filters = useMemo(
    () => given(search, ['state', 'network', 'customer', 'from', 'until']) as Filters,
    [search],
  )
  const [act, setAct] = useState<{ name: ActName; row: Row } | null>(null)
  const onAct = useCallback((name: ActName, row: Row) => setAct({ name, row }), [])
  const Dialog = act === null ? null : dialogs[act.name]
  return (
    <>
      <p className={styles.note}>{t('about')}</p>
      <List
        call="payouts"
        label={t('deskMoney:payments.tab.payouts')}
        filters={filters}
        columns={usePayoutColumns(onAct)}
        rowId={(row) => row.id}
        empty={<p>{t(Object.keys(filters).length === 0 ? 'none' : 'noneFound')}</p>}
        bar={
          <FilterBar>
            <ChoiceFilter
              field="state"
              label={t('deskPages:column.state')}
              all={t('anyState')}
              options={[
                { value: 'open', label: t('open') },
                ...payoutStates.map((value) => ({ value, label: t(`state.${value}`) })),
              ]}
            />
            <ChoiceFilter
              field="network"
              label={t('network')}
              all={t('anyNetwork')}
              options={payoutNetworks.map((value) => ({ value, label: networkNames[value] }))}
            />
            <DayFilter field="from" label={t('from')} />
            <DayFilter field="until" label={t('until')} />
          </FilterBar>
        }
      />
      {act !== null && Dialog !== null && <Dialog payout={act.row} onClose={() => setAct(null)} />}
    </>
  )
}

function usePayoutColumns(onAct: (name: ActName, row: Row) => void): readonly Column<Row>[] {
  const { t } = useTranslation(['deskPayouts', 'deskPages'])
  const { usd } = useFigures()
  const mayPay = useMay()('pay_payout')
  return useMemo(
    () => [
      {
        id: 'sum',
        title: t('sum'),
        fixed: true,
        phone: true,
        cell: (row) => <strong translate="no">{usd(row.micros)}</strong>,
      },
      {
        id: 'state',
        title: t('deskPages:column.state'),
        phone: true,
        cell: (row) => (
          <span className={styles.payout}>
            <Badge tone={tones[row.state]}>{t(`state.${row.state}`)}</Badge>
            {mayPay && isOpenPayout(row.state) && (
              <>
                <Button
                  size="small"
                  variant="primary"
                  onClick={() => onAct(row.state === 'requested' ? 'take' : 'pay', row)}
                >
                  {t(row.state === 'requested' ? 'take' : 'pay')}
                </Button>
                <Button size="small" onClick={() => onAct('refuse', row)}>
                  {t('refuse')}
                </Button>
              </>
            )}
          </span>
        ),
      },
      {
        id: 'customer',
        title: t('deskPages:column.customer'),
        phone: true,
        cell: (row) => <CustomerLink id={row.customer_id} name={row.customer_name} />,
      },
      {
        id: 'network',
        title: t('network'),
        cell: ({ network }) => <span className={styles.word}>{networkNames[network]}</span>,
      },
      {
        id: 'address',
        title: t('address'),
        cell: ({ address }) => (
          <span translate="no" className={classNames('mono', styles.wallet)}>
            {address}
          </span>
        ),
      },
      {
        id: 'askedAt',
        title: t('askedAt'),
        numeric: true,
        cell: (row) => <Moment iso={row.asked_at} recent />,
      },
      {
        id: 'endedAt',
        title: t('endedAt'),
        numeric: true,
        cell: (row) => row.ended_at !== null && <Moment iso={row.ended_at} recent />,
      },
      {
        id: 'reference',
        title: t('reference'),
        cell: ({ reference }) =>
          reference !== null && (
            <span translate="no" className="mono">
              {reference}
            </span>
          ),
      },
      {
        id: 'reason',
        title: t('reason'),
        cell: ({ state, reason }) => (state === 'refused' ? (reason ?? t('undone')) : null),
      },
      {
        id: 'asked',
        title: t('asked'),
        numeric: true,
        optional: true,
        cell: (row) => usd(row.asked_micros),
      },
      {
        id: 'takenAt',
        title: t('takenAt'),
        numeric: true,
        optional: true,
        cell: (row) => row.taken_at !== null && <Moment iso={row.taken_at} recent />,
      },
    ],
    [t, usd, mayPay, onAct],
  )
}
