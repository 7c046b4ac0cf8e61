import { useState } from 'react'
import { networkNames } from '#contract/referral/payout'
import { useTranslation } from '../../../state/i18n.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { Facts } from '../../parts/facts.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { useAct } from '../../state/use-act.ts'
import type { RowOf } from '../../table/list.tsx'

interface DialogProps {
  payout: RowOf<'payouts'>
  onClose: () => void
}

const leastReference = 3

/**
 * Approves a payout before money is sent: from now on the customer cannot cancel it, and no refund reduces
 * it.
 */
export function TakeDialog({ payout, onClose }: DialogProps) {
  const { t } = useTranslation('deskPayouts')
  const { usd } = useFigures()
  const { pending, fault, run } = useAct('take_payout', onClose)
  return (
    <ActDialog
      title={t('takeTitle', { sum: usd(payout.micros) })}
      description={t('takeText')}
      submit={t('take')}
      reason="none"
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={() => run({ id: payout.id, micros: payout.micros })}
    >
      <Wallet payout={payout} />
    </ActDialog>
  )
}

/** Records that the money was sent, with the network's id of the payment. */
export function PayDialog({ payout, onClose }: DialogProps) {
  const { t } = useTranslation('deskPayouts')
  const { usd } = useFigures()
  const [reference, setReference] = useState('')
  const { pending, fault, run } = useAct('pay_payout', onClose)
  return (
    <ActDialog
      title={t('payTitle', { sum: usd(payout.micros) })}
      description={t('payText', { sum: usd(payout.micros) })}
      submit={t('pay')}
      reason="none"
      pending={pending}
      fault={fault}
      ready={reference.trim().length >= leastReference}
      onClose={onClose}
      onSubmit={() => run({ id: payout.id, reference: reference.trim() })}
    >
      <Wallet payout={payout} />
      <TextField
        label={t('reference')}
        value={reference}
        onChange={(event) => setReference(event.target.value)}
        maxLength={128}
        autoComplete="off"
        spellCheck={false}
        mono
      />
    </ActDialog>
  )
}

/** Refuses a payout: gives the customer the reason and returns the money. */
export function RefuseDialog({ payout, onClose }: DialogProps) {
  const { t } = useTranslation('deskPayouts')
  const { usd } = useFigures()
  const { pending, fault, run } = useAct('refuse_payout', onClose)
  return (
    <ActDialog
      title={t('refuseTitle', { sum: usd(payout.micros) })}
      description={t('refuseText')}
      submit={t('refuse')}
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={(reason) => run({ id: payout.id, reason })}
    >
      {payout.state === 'sending' && <p>{t('refuseSent')}</p>}
    </ActDialog>
  )
}

function Wallet({ payout: { network, address } }: Pick<DialogProps, 'payout'>) {
  const { t } = useTranslation('deskPayouts')
  return (
    <>
      <Facts
        facts={[
          { name: t('network'), value: networkNames[network] },
          {
            name: t('address'),
            value: (
              <span translate="no" className="mono">
                {address}
              </span>
            ),
          },
        ]}
      />
      <div>
        <CopyButton
          text={address}
          label={t('copy')}
          copiedLabel={t('copied')}
          failedLabel={t('copyFailed')}
        />
      </div>
    </>
  )
}
