import KeyRound from 'lucide-react/icons/key-round'
import { useState } from 'react'
import { CallError } from '#contract/client'
import { call } from '../../state/api.ts'
import { useTranslation } from '../../state/i18n.ts'
import { toast } from '../../state/toast.ts'
import { Button } from '../../ui/button.tsx'
import { isPasskeyDeclined, provePasskey, usePasskeySupport } from '../../ui/factors/passkey.ts'
import { startSession } from './start-session.ts'

/** Signs in with a passkey alone; not rendered where the browser does not support passkeys. */
export function PasskeyButton({ onSignedIn }: { onSignedIn: () => void | Promise<void> }) {
  const { t } = useTranslation(['auth', 'factors'])
  const isSupported = usePasskeySupport()
  const [isPending, setPending] = useState(false)
  if (!isSupported) return null
  const signIn = async () => {
    setPending(true)
    try {
      const { options } = await call('signin_passkey_options', {})
      await startSession(await call('signin_passkey', { response: await provePasskey(options) }))
      await onSignedIn()
    } catch (error) {
      const isOurs = error instanceof CallError
      if (!isPasskeyDeclined(error)) toast.error(isOurs ? error.message : t('factors:failed'))
    } finally {
      setPending(false)
    }
  }
  return (
    <Button
      size="large"
      wide
      pending={isPending}
      icon={<KeyRound size={20} strokeWidth={1.75} aria-hidden="true" />}
      onClick={() => void signIn()}
    >
      {t('login.passkey')}
    </Button>
  )
}
