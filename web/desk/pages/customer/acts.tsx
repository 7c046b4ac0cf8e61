import Ellipsis from 'lucide-react/icons/ellipsis'
import { useState } from 'react'
import type { DeskName } from '#contract/desk/wire'
import { useTranslation } from '../../../state/i18n.ts'
import { useSearchParameter } from '../../../state/search-parameter.ts'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { Menu } from '../../parts/menu.tsx'
import { useMay } from '../../state/session.ts'
import { PriceListDialog, ResendDialog, ResetAccessDialog } from './access-dialogs.tsx'
import { BlockDialog, EndSessionsDialog, UnblockDialog } from './block-dialogs.tsx'
import styles from './customer.module.css'
import type { Customer } from './types.ts'
import { DeclineErasureDialog, EraseDialog, ExportDialog } from './person-dialogs.tsx'
import { MoneyDialog, TrafficDialog } from './move-dialogs.tsx'
import { SeeAsDialog } from './see-as-dialog.tsx'

type Act =
  | 'give'
  | 'take'
  | 'giveMoney'
  | 'takeMoney'
  | 'block'
  | 'unblock'
  | 'endSessions'
  | 'resetAccess'
  | 'resend'
  | 'export'
  | 'declineErasure'
  | 'erase'
  | 'seeAs'
  | 'refund'
  | 'priceList'

const calls: Record<Act, DeskName> = {
  give: 'give_traffic',
  take: 'take_traffic',
  giveMoney: 'give_money',
  takeMoney: 'take_money',
  block: 'block_customer',
  unblock: 'unblock_customer',
  endSessions: 'end_customer_sessions',
  resetAccess: 'reset_access',
  resend: 'resend_confirmation',
  export: 'export_customer',
  declineErasure: 'decline_erasure',
  erase: 'erase_customer',
  refund: 'refund_invoice',
  seeAs: 'see_as_customer',
  priceList: 'assign_price_list',
}

/** The most frequent and the most urgent acts. */
const first: ReadonlySet<Act> = new Set(['give', 'block', 'unblock', 'resetAccess', 'seeAs'])

/** The acts that take something from the customer. */
const dangers: ReadonlySet<Act> = new Set(['block', 'take', 'takeMoney', 'resetAccess', 'erase'])

/** The acts whose texts belong to the customer page. */
const own = [
  'resetAccess',
  'resend',
  'refund',
  'priceList',
  'seeAs',
  'export',
  'declineErasure',
  'erase',
] as const
const isOwn = (act: Act): act is (typeof own)[number] => own.some((each) => each === act)

/** Whether an act is applicable. */
function hasUse(
  act: Act,
  { email, email_confirmed, erased_at, erasure_asked_at, blocked, invoices }: Customer,
) {
  if (act === 'refund') return invoices > 0
  if (erased_at !== null) return act === 'export'
  if (act === 'block' || act === 'unblock') return act === (blocked === null ? 'block' : 'unblock')
  if (act === 'resend') return email !== null && !email_confirmed
  return act !== 'declineErasure' || erasure_asked_at !== null
}

/** What the member may do to this customer. */
export function Acts({ customer }: { customer: Customer }) {
  const { t } = useTranslation(['deskPages', 'deskCustomer'])
  const may = useMay()
  const offered = (Object.keys(calls) as Act[]).filter((act) => may(calls[act]) && hasUse(act, customer))
  const others = offered.filter((act) => !first.has(act))
  const nameOf = (act: Act) => (isOwn(act) ? t(`deskCustomer:acts.${act}`) : t(`act.${act}`))
  const [search, setParameter] = useSearchParameter()
  const [chosen, setChosen] = useState<Act | null>(null)
  // The palette leads here with the act in the address.
  const asked = offered.find((act) => act === search.get('act')) ?? null
  const open = chosen ?? (asked === 'refund' ? null : asked)
  const close = () => {
    setChosen(null)
    if (asked !== null) setParameter('act', null)
  }
  // A refund belongs to one invoice, which is chosen in the list of invoices.
  const begin = (act: Act) => (act === 'refund' ? setParameter('tab', 'invoices') : setChosen(act))
  return (
    <>
      {offered
        .filter((act) => first.has(act))
        .map((act) => (
          <Button
            key={act}
            size="small"
            variant={dangers.has(act) ? 'danger' : 'secondary'}
            onClick={() => setChosen(act)}
          >
            {nameOf(act)}
          </Button>
        ))}
      {others.length > 0 && (
        <Menu
          label={t('deskCustomer:acts.more')}
          icon={<Ellipsis size={16} aria-hidden="true" />}
          framed
          start
        >
          <ul className={styles.menu}>
            {others.map((act) => (
              <li key={act}>
                <button
                  type="button"
                  className={classNames(dangers.has(act) && styles.danger)}
                  onClick={() => begin(act)}
                >
                  {nameOf(act)}
                </button>
              </li>
            ))}
          </ul>
        </Menu>
      )}
      {(open === 'give' || open === 'take') && (
        <TrafficDialog customer={customer} way={open} onClose={close} />
      )}
      {(open === 'giveMoney' || open === 'takeMoney') && (
        <MoneyDialog customer={customer} way={open} onClose={close} />
      )}
      {open === 'priceList' && <PriceListDialog customer={customer} onClose={close} />}
      {open === 'resetAccess' && <ResetAccessDialog customer={customer} onClose={close} />}
      {open === 'resend' && <ResendDialog customer={customer} onClose={close} />}
      {open === 'export' && <ExportDialog customer={customer} onClose={close} />}
      {open === 'declineErasure' && <DeclineErasureDialog customer={customer} onClose={close} />}
      {open === 'erase' && <EraseDialog customer={customer} onClose={close} />}
      {open === 'seeAs' && <SeeAsDialog customer={customer} onClose={close} />}
      {open === 'block' && <BlockDialog customer={customer} onClose={close} />}
      {open === 'unblock' && <UnblockDialog customer={customer} onClose={close} />}
      {open === 'endSessions' && <EndSessionsDialog customer={customer} onClose={close} />}
    </>
  )
}
