import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useAct } from '../../state/use-act.ts'
import { customerName } from '../../subjects/customer-name.ts'
import styles from './customer.module.css'
import type { Customer } from './types.ts'

interface DialogProps {
  customer: Customer
  onClose: () => void
}

/** All data of the customer as one file. The link works once, and the download begins at once. */
export function ExportDialog({ customer, onClose }: DialogProps) {
  const { t } = useTranslation('deskCustomer')
  const { pending, fault, run } = useAct('export_customer', ({ href }) => {
    window.location.assign(href)
    onClose()
  })
  return (
    <ActDialog
      title={t('person.exportTitle', { name: customerName(customer) })}
      description={t('person.exportText')}
      submit={t('person.exportSubmit')}
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={(reason) => run({ id: customer.id, reason })}
    />
  )
}

export function DeclineErasureDialog({ customer, onClose }: DialogProps) {
  const { t } = useTranslation('deskCustomer')
  const { pending, fault, run } = useAct('decline_erasure', onClose)
  return (
    <ActDialog
      title={t('person.declineTitle', { name: customerName(customer) })}
      description={t('person.declineText')}
      submit={t('person.declineSubmit')}
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={(reason) => run({ id: customer.id, reason })}
    />
  )
}

type Preview = DeskOutput<'preview_erasure'>

/**
 * Erases the customer's personal data: first shows what is removed and what is kept, then asks for the
 * account number.
 */
export function EraseDialog({ customer, onClose }: DialogProps) {
  const { t } = useTranslation('deskCustomer')
  const preview = useQuery(query('preview_erasure', { id: customer.id }))
  const [typed, setTyped] = useState('')
  const [writesOff, setWritesOff] = useState(false)
  // What was shown may have changed: the consent to it ends, and the dialog shows what is true now.
  const { pending, fault, run } = useAct('erase_customer', onClose, () => {
    setWritesOff(false)
    void preview.refetch()
  })
  const { data } = preview
  const isReady =
    data?.obstacles.length === 0 &&
    typed.trim().replace(/^#/, '') === customer.id &&
    (writesOff || !hasLeft(data))
  return (
    <ActDialog
      title={t('person.eraseTitle', { name: customerName(customer) })}
      description={t('person.eraseText')}
      submit={t('person.eraseSubmit')}
      isDanger
      pending={pending}
      fault={fault}
      ready={isReady}
      onClose={onClose}
      onSubmit={(reason) => {
        if (data === undefined) return
        const { asked_at: askedAt, left } = data
        run({ id: customer.id, reason, write_off: writesOff, seen: { asked_at: askedAt, left } })
      }}
    >
      <Loaded query={preview}>
        {(found) => (
          <>
            <Obstacles obstacles={found.obstacles} />
            <Parts parts={found.parts} />
            {hasLeft(found) && <LeftOver left={found.left} writesOff={writesOff} onChange={setWritesOff} />}
            <TextField
              label={t('person.typeId', { id: customer.id })}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              inputMode="numeric"
              autoComplete="off"
              mono
            />
          </>
        )}
      </Loaded>
    </ActDialog>
  )
}

const hasLeft = ({ left }: Preview) =>
  left.pools.length > 0 || left.micros !== '0' || left.money_micros !== '0'

function Obstacles({ obstacles }: Pick<Preview, 'obstacles'>) {
  const { t } = useTranslation('deskCustomer')
  if (obstacles.length === 0) return null
  return (
    <div className={styles.obstacles} role="alert">
      <p>{t('person.settleFirst')}</p>
      <ul>
        {obstacles.map(({ kind, invoices }) => (
          <li key={kind}>
            <span>{`${t(`person.obstacle.${kind}`)}:`}</span>{' '}
            {invoices.slice(0, 5).map((number) => (
              <Link key={number} to={`/invoices/${number}`}>
                {number}
              </Link>
            ))}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** From this number on, the page says "more than" instead of the count. */
const most = 10_000
const fates = ['removed', 'anonymised', 'kept'] as const

function Parts({ parts }: Pick<Preview, 'parts'>) {
  const { t } = useTranslation('deskCustomer')
  const { number } = useFigures()
  return (
    <dl className={styles.fates}>
      {fates.map((fate) => {
        const those = parts.filter((part) => part.at_erasure === fate)
        if (those.length === 0) return null
        const named = those.map(
          ({ name, rows }) =>
            `${t(`person.part.${name}`)} (${rows < most ? number(rows) : t('person.more', { count: number(most) })})`,
        )
        return (
          <div key={fate}>
            <dt>{t(`person.fate.${fate}`)}</dt>
            <dd>{named.join(', ')}</dd>
          </div>
        )
      })}
    </dl>
  )
}

function LeftOver({
  left,
  writesOff,
  onChange,
}: Pick<Preview, 'left'> & { writesOff: boolean; onChange: (writesOff: boolean) => void }) {
  const { t } = useTranslation(['deskCustomer', 'header'])
  const { traffic, usd } = useFigures()
  const amounts = [
    ...left.pools.map(({ pool, bytes }) => `${traffic(bytes)} ${t(`header:pools.${pool}`)}`),
    ...(left.micros === '0' ? [] : [usd(left.micros)]),
    ...(left.money_micros === '0' ? [] : [`${usd(left.money_micros)} ${t('header:pools.balance')}`]),
  ]
  return (
    <label className={styles.check}>
      <input type="checkbox" checked={writesOff} onChange={(event) => onChange(event.target.checked)} />
      <span>
        <span>{t('person.writeOff', { amounts: amounts.join(', ') })}</span>
        <span className={styles.hint}>{t('person.writeOffHint')}</span>
      </span>
    </label>
  )
}
