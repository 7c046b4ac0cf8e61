import { type SubmitEvent, useState } from 'react'
import { isLongEnough } from '#contract/account-rules'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { PasswordField } from '../../../ui/fields/password-field.tsx'
import { Fault } from '../../parts/loaded.tsx'
import { Section } from '../../parts/section.tsx'
import { useAct } from '../../state/use-act.ts'
import styles from './me.module.css'

export function Password() {
  const { t } = useTranslation(['deskPages', 'desk', 'deskJoin'])
  const [password, setPassword] = useState('')
  const [isTried, setTried] = useState(false)
  const { pending, fault, result, run } = useAct('change_my_password', () => {
    setPassword('')
    setTried(false)
  })
  const isShort = !isLongEnough(password)
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    setTried(true)
    if (!isShort) run({ password })
  }
  return (
    <Section title={t('me.password')}>
      <form className={styles.form} onSubmit={onSubmit} noValidate>
        <PasswordField
          label={t('me.newPassword')}
          hint={t('deskJoin:passwordHint')}
          error={isTried && isShort ? t('deskJoin:passwordShort') : undefined}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          autoComplete="new-password"
          showText={t('desk:password.show')}
          hideText={t('desk:password.hide')}
        />
        {fault !== undefined && <Fault text={fault} />}
        {result !== undefined && !isTried && <p role="status">{t('me.passwordChanged')}</p>}
        <div>
          <Button type="submit" pending={pending}>
            {t('me.changePassword')}
          </Button>
        </div>
      </form>
    </Section>
  )
}
