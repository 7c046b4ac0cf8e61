import { useMutation, useQuery } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import type { Role } from '#contract/desk/roles'
import { isLongEnough } from '#contract/account-rules'
import { CallError } from '#contract/transport'
import { useOptionalRead } from '../../state/reads/optional-read.ts'
import { useTranslation } from '../../state/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { Fault, Waiting } from '../parts/loaded.tsx'
import { call, query, queryClient } from '../state/api.ts'
import { EntryPage } from './entry-page.tsx'
import styles from './form.module.css'
import { createPasskey, isPasskeyDeclined, isPasskeySupported } from '../../ui/factors/passkey.ts'
import { RecoveryCodes } from '../../ui/factors/recovery-codes.tsx'
import { TotpSetup } from '../../ui/factors/totp-setup.tsx'
import { useFactorWords } from './factor-words.ts'

/** The page of a one-time link: the token is behind the `#`, which browsers send nowhere. */
export function JoinPage() {
  const { t } = useTranslation(['desk', 'deskJoin'])
  const [token] = useState(() => window.location.hash.slice(1))
  const session = useOptionalRead(query('session', {}))
  const begun = useQuery({
    queryKey: ['join', token],
    queryFn: () => call('join_begin', { token }),
    staleTime: Infinity,
    retry: false,
  })
  const brand = session?.brand ?? ''
  if (begun.data === undefined)
    return (
      <EntryPage brand={brand} title={t('deskJoin:title')}>
        {begun.error === null ? <Waiting /> : <Fault text={begun.error.message} />}
      </EntryPage>
    )
  return <JoinForm brand={brand} token={token} begun={begun.data} />
}

type FactorKind = 'totp' | 'passkey'

interface JoinFormProps {
  brand: string
  token: string
  begun: DeskOutput<'join_begin'>
}

function JoinForm({ brand, token, begun }: JoinFormProps) {
  const { t } = useTranslation(['desk', 'deskJoin'])
  const words = useFactorWords()
  const [password, setPassword] = useState('')
  const [kind, setKind] = useState<FactorKind>('totp')
  const [code, setCode] = useState('')
  const [isTried, setTried] = useState(false)
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: async () =>
      call('join_finish', {
        token,
        password,
        factor:
          kind === 'totp'
            ? { kind, code: code.replaceAll(/\s/g, '') }
            : { kind, name: t('passkey.firstName'), response: await createPasskey(begun.passkey) },
      }),
  })
  if (data !== undefined) return <Joined brand={brand} codes={data.recovery_codes} role={begun.role} />
  const isShort = !isLongEnough(password)
  const isCodeMissing = kind === 'totp' && code.trim() === ''
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    setTried(true)
    if (!isShort && !isCodeMissing) mutate()
  }
  const fault =
    error === null
      ? undefined
      : error instanceof CallError
        ? error.message
        : t(isPasskeyDeclined(error) ? 'passkey.declined' : 'passkey.failed')
  return (
    <EntryPage
      brand={brand}
      title={t('deskJoin:hello', { name: begun.name })}
      lead={t('deskJoin:lead', { role: t(`role.${begun.role}`) })}
    >
      <form className={styles.form} onSubmit={onSubmit} noValidate>
        {/* Password managers store the name with the password. */}
        <input type="text" autoComplete="username" value={begun.name} readOnly hidden />
        <PasswordField
          label={t('deskJoin:password')}
          hint={t('deskJoin:passwordHint')}
          error={isTried && isShort ? t('deskJoin:passwordShort') : undefined}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          autoComplete="new-password"
          showText={t('password.show')}
          hideText={t('password.hide')}
        />
        {isPasskeySupported() && (
          <Segmented<FactorKind>
            label={t('deskJoin:factor')}
            wide
            value={kind}
            options={[
              { value: 'totp', label: t('deskJoin:totp') },
              { value: 'passkey', label: t('deskJoin:passkey') },
            ]}
            onChange={setKind}
          />
        )}
        {kind === 'totp' ? (
          <TotpSetup words={words} totp={begun.totp} code={code} onCode={setCode} />
        ) : (
          <p>{t('deskJoin:passkeyText')}</p>
        )}
        {isTried && isCodeMissing && <Fault text={t('fillIn')} />}
        {fault !== undefined && <Fault text={fault} />}
        <Button type="submit" variant="primary" wide pending={isPending}>
          {t('deskJoin:submit')}
        </Button>
      </form>
    </EntryPage>
  )
}

/** An owner goes on with the shop itself, as long as it is not set up. */
async function firstPage(role: Role): Promise<string> {
  if (role !== 'owner') return '/'
  const { setup_left: left } = await call('today', {}).catch(() => ({ setup_left: 0 }))
  return left > 0 ? '/setup' : '/'
}

/** The last step: shows the recovery codes before the desk opens. */
function Joined({ brand, codes, role }: { brand: string; codes: readonly string[]; role: Role }) {
  const { t } = useTranslation(['desk', 'deskJoin'])
  return (
    <EntryPage brand={brand} title={t('recovery.title')}>
      <RecoveryCodes words={useFactorWords()} codes={codes} fileName="turnpike-recovery-codes.txt" />
      <Button
        variant="primary"
        wide
        onClick={() => {
          queryClient.clear()
          void firstPage(role).then((page) => window.location.replace(page))
        }}
      >
        {t('recovery.done')}
      </Button>
    </EntryPage>
  )
}
