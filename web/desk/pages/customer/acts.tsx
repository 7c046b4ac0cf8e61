import { useState } from 'react'
import type { DeskName } from '#contract/desk/wire'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { useMay } from '../../state/session.ts'
import { BlockDialog, EndSessionsDialog, UnblockDialog } from './block-dialogs.tsx'
import type { Customer } from './types.ts'
import { MoneyDialog, TrafficDialog } from './move-dialogs.tsx'

type Act = 'give' | 'take' | 'giveMoney' | 'takeMoney' | 'block' | 'unblock' | 'endSessions'

const calls: Record<Act, DeskName> = {
  give: 'give_traffic',
  take: 'take_traffic',
  giveMoney: 'give_money',
  takeMoney: 'take_money',
  block: 'block_customer',
  unblock: 'unblock_customer',
  endSessions: 'end_customer_sessions',
}

/** What the member may do to this customer. */
export function Acts({ customer }: { customer: Customer }) {
  const { t } = useTranslation('deskPages')
  const may = useMay()
  const [open, setOpen] = useState<Act | null>(null)
  const isBlocked = customer.state === 'blocked'
  const offered = (Object.keys(calls) as Act[]).filter(
    (act) => may(calls[act]) && act !== (isBlocked ? 'block' : 'unblock'),
  )
  const close = () => setOpen(null)
  return (
    <>
      {offered.map((act) => (
        <Button key={act} size="small" onClick={() => setOpen(act)}>
          {t(`act.${act}`)}
        </Button>
      ))}
      {(open === 'give' || open === 'take') && (
        <TrafficDialog customer={customer} way={open} onClose={close} />
      )}
      {(open === 'giveMoney' || open === 'takeMoney') && (
        <MoneyDialog customer={customer} way={open} onClose={close} />
      )}
      {open === 'block' && <BlockDialog customer={customer} onClose={close} />}
      {open === 'unblock' && <UnblockDialog customer={customer} onClose={close} />}
      {open === 'endSessions' && <EndSessionsDialog customer={customer} onClose={close} />}
    </>
  )
}
