import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { CallError } from '#contract/transport'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { createPasskey, isPasskeyDeclined, isPasskeySupported } from '../../../ui/factors/passkey.ts'
import { RecoveryCodes } from '../../../ui/factors/recovery-codes.tsx'
import { useFactorWords } from '../../entry/factor-words.ts'
import { Fault, Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Section } from '../../parts/section.tsx'
import { call, query, refreshAll } from '../../state/api.ts'
import { useAct } from '../../state/use-act.ts'
import styles from './me.module.css'
import { TotpDialog } from './totp-dialog.tsx'

/** Second factors: the authenticator app, passkeys, recovery codes. */
export function Factors() {
  const { t } = useTranslation(['deskPages', 'desk', 'deskJoin'])
  const words = useFactorWords()
  const factors = useQuery(query('my_factors', {}))
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const [isAdding, setAdding] = useState(false)
  const [passkeyFault, setPasskeyFault] = useState<string>()
  const removeTotp = useAct('remove_totp')
  const removePasskey = useAct('remove_passkey')
  const renew = useAct('new_recovery_codes', (made) => setCodes(made.recovery_codes))
  // Adding an authenticator app or passkey beside another factor creates no new codes.
  const show = (made: readonly string[]) => setCodes(made.length === 0 ? null : made)
  const addPasskey = async () => {
    setPasskeyFault(undefined)
    try {
      const { options } = await call('passkey_begin', {})
      const name = t('desk:passkey.firstName')
      const made = await call('passkey_finish', { name, response: await createPasskey(options) })
      show(made.recovery_codes)
      await refreshAll()
    } catch (error) {
      if (error instanceof CallError) setPasskeyFault(error.message)
      else setPasskeyFault(t(isPasskeyDeclined(error) ? 'desk:passkey.declined' : 'desk:passkey.failed'))
    }
  }
  const fault = passkeyFault ?? removeTotp.fault ?? removePasskey.fault ?? renew.fault
  return (
    <Section title={t('me.factors')}>
      {fault !== undefined && <Fault text={fault} />}
      <Loaded query={factors}>
        {(data) => (
          <ul className={styles.list}>
            <li className={styles.row}>
              <div className={styles.text}>
                <span>{t('deskJoin:totp')}</span>
                <span className={styles.quiet}>{t(data.totp ? 'me.totpOn' : 'me.totpOff')}</span>
              </div>
              {data.totp ? (
                <Button size="small" pending={removeTotp.pending} onClick={() => removeTotp.run({})}>
                  {t('me.remove')}
                </Button>
              ) : (
                <Button size="small" onClick={() => setAdding(true)}>
                  {t('customer.add')}
                </Button>
              )}
            </li>
            {data.passkeys.map((passkey) => (
              <li key={passkey.id} className={styles.row}>
                <div className={styles.text}>
                  <span>{passkey.name}</span>
                  <span className={styles.quiet}>
                    <span>{t('me.added')}</span> <Moment iso={passkey.created_at} />
                  </span>
                </div>
                <Button
                  size="small"
                  pending={removePasskey.pending}
                  onClick={() => removePasskey.run({ id: passkey.id })}
                >
                  {t('me.remove')}
                </Button>
              </li>
            ))}
            {isPasskeySupported() && (
              <li className={styles.row}>
                <span className={styles.text}>{t('me.newPasskey')}</span>
                <Button size="small" onClick={() => void addPasskey()}>
                  {t('customer.add')}
                </Button>
              </li>
            )}
            <li className={styles.row}>
              <span className={styles.text}>{t('me.codesLeft', { count: data.recovery_codes_left })}</span>
              <Button size="small" pending={renew.pending} onClick={() => renew.run({})}>
                {t('me.newCodes')}
              </Button>
            </li>
          </ul>
        )}
      </Loaded>
      {isAdding && (
        <TotpDialog
          onClose={() => setAdding(false)}
          onAdded={(made) => {
            setAdding(false)
            show(made)
          }}
        />
      )}
      {codes !== null && (
        <Dialog
          open
          compact
          onClose={() => setCodes(null)}
          title={t('desk:recovery.title')}
          closeLabel={t('desk:close')}
        >
          <RecoveryCodes words={words} codes={codes} fileName="turnpike-recovery-codes.txt" />
        </Dialog>
      )}
    </Section>
  )
}
