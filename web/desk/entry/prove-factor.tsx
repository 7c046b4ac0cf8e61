import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { CallError } from '#contract/transport'
import { useTranslation } from '../../state/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { Fault } from '../parts/loaded.tsx'
import { call, type DeskSession } from '../state/api.ts'
import styles from './form.module.css'
import { isPasskeyDeclined, isPasskeySupported, provePasskey } from './passkey.ts'

type Way = 'totp' | 'passkey' | 'recovery_code' | 'password'

interface ProveFactorProps {
  session: DeskSession
  submit: string
  onProved: (session: DeskSession) => void
}

/** The ways that the member has; in a demo without a factor, the password. */
function waysOf({ factors, demo }: DeskSession): Way[] {
  const ways = (['totp', 'passkey', 'recovery_code'] as const).filter(
    (way) => factors.includes(way) && (way !== 'passkey' || isPasskeySupported()),
  )
  return ways.some((way) => way !== 'recovery_code') || !demo ? ways : ['password']
}

async function prove(way: Way, typed: string): Promise<DeskSession> {
  if (way === 'totp') return call('confirm_totp', { code: typed.replaceAll(/\s/g, '') })
  if (way === 'recovery_code') return call('confirm_recovery_code', { code: typed.trim() })
  if (way === 'password') return call('confirm_password', { password: typed })
  const { options } = await call('passkey_challenge', {})
  return call('confirm_passkey', { response: await provePasskey(options) })
}

/** Proves the second factor: completes a sign-in, and opens what needs a fresh factor. */
export function ProveFactor({ session, submit, onProved }: ProveFactorProps) {
  const { t } = useTranslation('desk')
  const ways = waysOf(session)
  const [way, setWay] = useState<Way>(ways[0] ?? 'totp')
  const [typed, setTyped] = useState('')
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () => prove(way, typed),
    onSuccess: onProved,
    onError: () => setTyped(''),
  })
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    if (way === 'passkey' || typed.trim() !== '') mutate()
  }
  const choose = (next: Way) => {
    setWay(next)
    setTyped('')
    reset()
  }
  const fault =
    error === null
      ? undefined
      : error instanceof CallError
        ? error.message
        : t(isPasskeyDeclined(error) ? 'passkey.declined' : 'passkey.failed')
  const typing = {
    value: typed,
    onChange: (event: { target: { value: string } }) => setTyped(event.target.value),
    // The form asks for one thing.
    autoFocus: true,
  }
  return (
    <form className={styles.form} onSubmit={onSubmit}>
      {way === 'totp' && (
        <TextField
          {...typing}
          key={way}
          label={t('factor.totp')}
          hint={t('factor.totpHint')}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={12}
          mono
        />
      )}
      {way === 'recovery_code' && (
        <TextField
          {...typing}
          key={way}
          label={t('factor.recovery')}
          hint={t('factor.recoveryHint')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          mono
        />
      )}
      {way === 'password' && (
        <PasswordField
          {...typing}
          key={way}
          label={t('signIn.password')}
          autoComplete="current-password"
          showText={t('password.show')}
          hideText={t('password.hide')}
        />
      )}
      {way === 'passkey' && <p>{t('factor.passkeyHint')}</p>}
      {fault !== undefined && <Fault text={fault} />}
      <Button type="submit" variant="primary" wide pending={isPending}>
        {way === 'passkey' ? t('factor.usePasskey') : submit}
      </Button>
      {ways.length > 1 && (
        <div className={styles.links}>
          {ways
            .filter((other) => other !== way)
            .map((other) => (
              <button key={other} type="button" className={styles.link} onClick={() => choose(other)}>
                {t(`factor.with.${other}`)}
              </button>
            ))}
        </div>
      )}
    </form>
  )
}
