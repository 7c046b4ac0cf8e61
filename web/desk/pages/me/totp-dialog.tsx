import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from '../../../state/i18n.ts'
import { TotpSetup } from '../../../ui/factors/totp-setup.tsx'
import { useFactorWords } from '../../entry/factor-words.ts'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { call } from '../../state/api.ts'
import { useAct } from '../../state/use-act.ts'

interface TotpDialogProps {
  onClose: () => void
  onAdded: (codes: readonly string[]) => void
}

/** Adds an authenticator app. */
export function TotpDialog({ onClose, onAdded }: TotpDialogProps) {
  const { t } = useTranslation(['deskPages', 'desk'])
  const words = useFactorWords()
  const [code, setCode] = useState('')
  const begun = useQuery({
    queryKey: ['totp_begin'],
    queryFn: () => call('totp_begin', {}),
    gcTime: 0,
    staleTime: Infinity,
  })
  const { pending, fault, run } = useAct('totp_finish', (made) => onAdded(made.recovery_codes))
  return (
    <ActDialog
      title={t('me.totpTitle')}
      submit={t('customer.add')}
      reason="none"
      pending={pending}
      fault={fault}
      ready={code.trim() !== ''}
      onClose={onClose}
      onSubmit={() => run({ code: code.replaceAll(/\s/g, '') })}
    >
      <Loaded query={begun}>
        {(totp) => <TotpSetup words={words} totp={totp} code={code} onCode={setCode} />}
      </Loaded>
    </ActDialog>
  )
}
