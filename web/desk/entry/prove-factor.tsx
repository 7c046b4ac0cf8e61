import { CallError } from '#contract/transport'
import { FactorForm } from '../../ui/factors/factor-form.tsx'
import type { ProofWay } from '../../ui/factors/factor-words.ts'
import { isPasskeySupported, provePasskey } from '../../ui/factors/passkey.ts'
import { call, type DeskSession } from '../state/api.ts'
import { useFactorWords } from './factor-words.ts'

interface ProveFactorProps {
  session: DeskSession
  submit: string
  onProved: (session: DeskSession) => void
}

/** The ways that the member has; in a demo without a factor, the password. */
function waysOf({ factors, demo }: DeskSession): ProofWay[] {
  const ways = (['totp', 'passkey', 'recovery_code'] as const).filter(
    (way) => factors.includes(way) && (way !== 'passkey' || isPasskeySupported()),
  )
  return ways.some((way) => way !== 'recovery_code') || !demo ? ways : ['password']
}

async function prove(way: ProofWay, typed: string): Promise<DeskSession> {
  if (way === 'totp') return call('confirm_totp', { code: typed })
  if (way === 'recovery_code') return call('confirm_recovery_code', { code: typed })
  if (way === 'password') return call('confirm_password', { password: typed })
  const { options } = await call('passkey_challenge', {})
  return call('confirm_passkey', { response: await provePasskey(options) })
}

/** Proves the second factor: completes a sign-in, or allows a call that needs a fresh factor. */
export function ProveFactor({ session, submit, onProved }: ProveFactorProps) {
  return (
    <FactorForm
      words={useFactorWords()}
      ways={waysOf(session)}
      submit={submit}
      prove={async (way, typed) => onProved(await prove(way, typed))}
      faultOf={(error) => (error instanceof CallError ? error.message : undefined)}
    />
  )
}
