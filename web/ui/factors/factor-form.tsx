import { type SubmitEvent, useState } from 'react'
import { Button } from '../button.tsx'
import { PasswordField } from '../fields/password-field.tsx'
import { TextField } from '../fields/text-field.tsx'
import styles from './factor-form.module.css'
import type { FactorWords, ProofWay } from './factor-words.ts'
import { isPasskeyDeclined, isPasskeySupported } from './passkey.ts'

interface FactorFormProps {
  words: FactorWords
  /** The first one that the browser supports is shown first. */
  ways: readonly ProofWay[]
  submit: string
  /** Submits what was typed as the proof. When it rejects, the form shows the text of the error. */
  prove: (way: ProofWay, typed: string) => Promise<void>
  /** The text of an error of `prove`; undefined: the passkey caused the error. */
  faultOf: (error: unknown) => string | undefined
}

/** The ways that this browser supports. */
const possible = (ways: readonly ProofWay[]) =>
  ways.filter((way) => way !== 'passkey' || isPasskeySupported())

/** Proves the owner in one of several ways, of which one is shown at a time. */
export function FactorForm({ words, ways, submit, prove, faultOf }: FactorFormProps) {
  const open = possible(ways)
  const [way, setWay] = useState<ProofWay>(open[0] ?? 'totp')
  const [typed, setTyped] = useState('')
  const [fault, setFault] = useState<string>()
  const [isPending, setPending] = useState(false)
  const run = async () => {
    setPending(true)
    setFault(undefined)
    try {
      await prove(
        way,
        way === 'totp' ? typed.replaceAll(/\s/g, '') : way === 'password' ? typed : typed.trim(),
      )
    } catch (error) {
      setTyped('')
      setFault(faultOf(error) ?? (isPasskeyDeclined(error) ? words.declined : words.failed))
    } finally {
      setPending(false)
    }
  }
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!isPending && (way === 'passkey' || typed.trim() !== '')) void run()
  }
  const choose = (next: ProofWay) => {
    setWay(next)
    setTyped('')
    setFault(undefined)
  }
  return (
    <form className={styles.form} onSubmit={onSubmit}>
      <ProofField key={way} words={words} way={way} typed={typed} onTyped={setTyped} />
      {fault !== undefined && (
        <p className={styles.fault} role="alert">
          {fault}
        </p>
      )}
      <Button type="submit" variant="primary" wide pending={isPending}>
        {way === 'passkey' ? words.usePasskey : submit}
      </Button>
      {open.length > 1 && (
        <div className={styles.links}>
          {open
            .filter((other) => other !== way)
            .map((other) => (
              <button key={other} type="button" className={styles.link} onClick={() => choose(other)}>
                {words.with[other]}
              </button>
            ))}
        </div>
      )}
    </form>
  )
}

interface ProofFieldProps {
  words: FactorWords
  way: ProofWay
  typed: string
  onTyped: (text: string) => void
}

function ProofField({ words, way, typed, onTyped }: ProofFieldProps) {
  const typing = {
    value: typed,
    onChange: (event: { target: { value: string } }) => onTyped(event.target.value),
    // The form has a single field.
    autoFocus: true,
  }
  if (way === 'passkey') return <p>{words.passkeyHint}</p>
  if (way === 'password')
    return (
      <PasswordField
        {...typing}
        label={words.password}
        autoComplete="current-password"
        showText={words.show}
        hideText={words.hide}
      />
    )
  if (way === 'recovery_code')
    return (
      <TextField
        {...typing}
        label={words.recovery}
        data-secret
        hint={words.recoveryHint}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        mono
      />
    )
  return (
    <TextField
      {...typing}
      label={words.totp}
      hint={words.totpHint}
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={12}
      mono
    />
  )
}
