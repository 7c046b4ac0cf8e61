import { useMemo } from 'react'
import { Link, useSearchParams } from 'react-router'
import { pools } from '#contract/wire'
import { useTranslation } from '../../../state/i18n.ts'
import { ChoiceFilter, FilterBar } from '../../parts/filters.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Moment } from '../../parts/moment.tsx'
import type { Column } from '../../table/columns.ts'
import { List, type RowOf } from '../../table/list.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { useLedgerKind } from '../../subjects/action-name.ts'
import { customerName } from '../../subjects/customer-name.ts'
import { useLetterName } from '../../subjects/letter-name.ts'
import { CustomerState } from '../../subjects/customer-state.tsx'
import { useInvoiceColumns } from '../../subjects/invoice-columns.tsx'

const accounts = [...pools, 'referral', 'balance'] as const

/** The parts of a pool that a row of the ledger names; other parts are not named. */
const named = { bonus: true, reserved_paid: true, reserved_bonus: true, withheld: true }

/** Each change of each balance. */
export function CustomerLedger({ id }: { id: string }) {
  const { t } = useTranslation(['deskPages', 'deskCustomer', 'header'])
  const { trafficChange, usdChange } = useFigures()
  const kindName = useLedgerKind()
  const [search] = useSearchParams()
  const account = accounts.find((one) => one === search.get('account'))
  const columns = useMemo(
    (): readonly Column<RowOf<'customer_ledger'>>[] => [
      {
        id: 'at',
        title: t('column.at'),
        fixed: true,
        phone: true,
        cell: (row) => <Moment iso={row.at} recent />,
      },
      {
        id: 'account',
        title: t('ledger.account'),
        phone: true,
        cell: ({ account, part }) =>
          account === 'referral'
            ? `${t('customer.referral')}${part === 'payout' ? `, ${t('ledger.payout')}` : ''}`
            : `${t(`header:pools.${account}`)}${part in named ? `, ${t(`ledger.${part as keyof typeof named}`)}` : ''}`,
      },
      {
        id: 'amount',
        title: t('ledger.amount'),
        numeric: true,
        phone: true,
        cell: ({ account, amount }) =>
          account === 'referral' || account === 'balance' ? usdChange(amount) : trafficChange(amount),
      },
      { id: 'kind', title: t('ledger.kind'), cell: ({ kind }) => kindName(kind) },
      {
        id: 'reference',
        title: t('ledger.reference'),
        cell: ({ kind, reference }) =>
          kind === 'refund' ? (
            <Link to={`/invoices/${encodeURIComponent(reference)}`} className="mono">
              {`${reference.slice(0, 8)}…`}
            </Link>
          ) : (
            <code translate="no">{reference}</code>
          ),
      },
    ],
    [t, trafficChange, usdChange, kindName],
  )
  return (
    <List
      call="customer_ledger"
      label={t('deskCustomer:lists.ledger')}
      filters={useMemo(() => ({ id, ...(account === undefined ? {} : { account }) }), [id, account])}
      columns={columns}
      rowId={(row) => `${row.id}-${row.account}-${row.part}`}
      bar={
        <FilterBar>
          <ChoiceFilter
            field="account"
            label={t('ledger.account')}
            all={t('ledger.anyAccount')}
            options={accounts.map((value) => ({
              value,
              label: value === 'referral' ? t('customer.referral') : t(`header:pools.${value}`),
            }))}
          />
        </FilterBar>
      }
      empty={<p>{t('ledger.none')}</p>}
    />
  )
}

export function CustomerInvoices({ id }: { id: string }) {
  const { t } = useTranslation('deskPages')
  return (
    <List
      call="invoices"
      label={t('invoices.title')}
      filters={useMemo(() => ({ customer_id: id }), [id])}
      columns={useInvoiceColumns({ ofOne: true })}
      rowId={(row) => row.number}
      empty={<p>{t('customer.noInvoices')}</p>}
    />
  )
}

/** The codes that the customer has used, or holds by an open invoice. */
export function CustomerPromoUses({ id }: { id: string }) {
  const { t } = useTranslation(['deskCustomer', 'deskPages'])
  const columns = useMemo(
    (): readonly Column<RowOf<'customer_promo_uses'>>[] => [
      {
        id: 'code',
        title: t('promoUses.code'),
        fixed: true,
        phone: true,
        cell: ({ code }) => <Link to={`/promo-codes?text=${encodeURIComponent(code)}`}>{code}</Link>,
      },
      { id: 'kind', title: t('promoUses.kind'), cell: ({ kind }) => t(`promoUses.kinds.${kind}`) },
      {
        id: 'state',
        title: t('deskPages:column.state'),
        phone: true,
        cell: ({ state }) => (
          <Badge tone={state === 'used' ? 'good' : 'quiet'}>{t(`promoUses.state.${state}`)}</Badge>
        ),
      },
      {
        id: 'invoice',
        title: t('deskPages:column.invoice'),
        cell: ({ invoice_number: number }) =>
          number !== null && (
            <Link to={`/invoices/${encodeURIComponent(number)}`} className="mono">
              {`${number.slice(0, 8)}…`}
            </Link>
          ),
      },
      {
        id: 'at',
        title: t('deskPages:column.at'),
        numeric: true,
        cell: ({ at }) => <Moment iso={at} recent />,
      },
    ],
    [t],
  )
  return (
    <List
      call="customer_promo_uses"
      label={t('lists.promo')}
      filters={useMemo(() => ({ id }), [id])}
      columns={columns}
      rowId={(row) => `${row.code} ${row.invoice_number} ${row.at}`}
      empty={<p>{t('promoUses.none')}</p>}
    />
  )
}

const letterTones = { waiting: 'quiet', sent: 'good', failed: 'bad' } as const

/** The letters of the last 30 days, and their delivery states. */
export function CustomerLetters({ id }: { id: string }) {
  const { t } = useTranslation(['deskCustomer', 'deskPages'])
  const letterName = useLetterName()
  const columns = useMemo(
    (): readonly Column<RowOf<'customer_letters'>>[] => [
      {
        id: 'template',
        title: t('letters.what'),
        fixed: true,
        phone: true,
        cell: ({ template }) => letterName(template),
      },
      {
        id: 'state',
        title: t('deskPages:column.state'),
        phone: true,
        cell: ({ state }) => <Badge tone={letterTones[state]}>{t(`letters.state.${state}`)}</Badge>,
      },
      { id: 'fault', title: t('letters.fault'), cell: ({ fault }) => fault },
      {
        id: 'created',
        title: t('deskPages:column.created'),
        numeric: true,
        cell: (row) => <Moment iso={row.created_at} recent />,
      },
      {
        id: 'done',
        title: t('letters.done'),
        numeric: true,
        cell: (row) => row.done_at !== null && <Moment iso={row.done_at} recent />,
      },
    ],
    [t, letterName],
  )
  return (
    <List
      call="customer_letters"
      label={t('lists.letters')}
      filters={useMemo(() => ({ id }), [id])}
      columns={columns}
      rowId={(row) => row.id}
      empty={<p>{t('letters.none')}</p>}
    />
  )
}

/** The customers whom this customer has invited. */
export function CustomerInvitees({ id }: { id: string }) {
  const { t } = useTranslation(['deskCustomer', 'deskPages'])
  const { usd } = useFigures()
  const columns = useMemo(
    (): readonly Column<RowOf<'customers'>>[] => [
      {
        id: 'name',
        title: t('deskPages:column.customer'),
        fixed: true,
        phone: true,
        cell: (row) => <Link to={`/customers/${row.id}`}>{customerName(row)}</Link>,
      },
      {
        id: 'state',
        title: t('deskPages:column.state'),
        cell: ({ state }) => <CustomerState state={state} />,
      },
      {
        id: 'spent',
        title: t('deskPages:column.spent'),
        numeric: true,
        phone: true,
        cell: (row) => usd(row.spent_micros),
      },
      {
        id: 'created',
        title: t('deskPages:column.signedUp'),
        numeric: true,
        phone: true,
        cell: (row) => <Moment iso={row.created_at} recent />,
      },
    ],
    [t, usd],
  )
  return (
    <List
      call="customers"
      label={t('lists.invited')}
      filters={useMemo(() => ({ inviter: id }), [id])}
      columns={columns}
      rowId={(row) => row.id}
      empty={<p>{t('invited.none')}</p>}
    />
  )
}
