import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { useTranslation } from '../../state/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { Fault } from '../parts/loaded.tsx'
import { call, type DeskSession, setSession } from '../state/api.ts'
import { EntryPage } from './entry-page.tsx'
import styles from './form.module.css'

export function SignIn({ session }: { session: DeskSession }) {
  const { t } = useTranslation('desk')
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('sign_in', { name: name.trim(), password }),
    onSuccess: setSession,
  })
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    if (name.trim() !== '' && password !== '') mutate()
  }
  return (
    <EntryPage brand={session.brand} title={t('signIn.title')} lead={t('signIn.lead')}>
      <form className={styles.form} onSubmit={onSubmit}>
        <TextField
          label={t('signIn.name')}
          value={name}
          onChange={(event) => setName(event.target.value)}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          // The page has one field.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
        />
        <PasswordField
          label={t('signIn.password')}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          autoComplete="current-password"
          required
          showText={t('password.show')}
          hideText={t('password.hide')}
        />
        {error !== null && <Fault text={error.message} />}
        <Button type="submit" variant="primary" wide pending={isPending}>
          {t('signIn.submit')}
        </Button>
      </form>
    </EntryPage>
  )
}
