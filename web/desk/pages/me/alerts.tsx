import { useQuery } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { isEmail } from '#contract/account-rules'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { Fault, Loaded } from '../../parts/loaded.tsx'
import { Section } from '../../parts/section.tsx'
import { query } from '../../state/api.ts'
import { useAct } from '../../state/use-act.ts'
import { AlertKinds } from '../../subjects/alert-kinds.tsx'
import { ConfirmAddress } from './confirm-address.tsx'
import styles from './me.module.css'

/** The notices that a member receives by mail. */
export function OwnAlerts() {
  const { t } = useTranslation('deskPages')
  const own = useQuery(query('my_alerts', {}))
  return (
    <Section title={t('alerts.title')}>
      <p className={styles.quiet}>{t('alerts.intro')}</p>
      <Loaded query={own}>
        {(data) => (
          <>
            <AlertForm own={data} />
            {data.pending !== null && <ConfirmAddress email={data.pending.email} />}
          </>
        )}
      </Loaded>
    </Section>
  )
}

function AlertForm({ own }: { own: DeskOutput<'my_alerts'> }) {
  const { t } = useTranslation('deskPages')
  const [email, setEmail] = useState(own.pending?.email ?? own.email ?? '')
  const [language, setLanguage] = useState(own.language)
  const [kinds, setKinds] = useState(own.kinds)
  const [isTried, setTried] = useState(false)
  const { pending, fault, result, run } = useAct('set_my_alerts', () => setTried(false))
  const isBad = email.trim() !== '' && !isEmail(email.trim())
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    setTried(true)
    if (!isBad) run({ email: email.trim() === '' ? null : email.trim(), language, kinds })
  }
  return (
    <form className={styles.form} onSubmit={onSubmit} noValidate>
      <TextField
        type="email"
        autoComplete="email"
        label={t('alerts.email')}
        hint={t('alerts.emailHint')}
        error={isTried && isBad ? t('alerts.emailBad') : undefined}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <SelectField
        label={t('alerts.language')}
        value={language}
        options={(['ru', 'en'] as const).map((value) => ({ value, label: t(`alerts.in.${value}`) }))}
        onChange={setLanguage}
      />
      <AlertKinds known={own.known} chosen={kinds} onChange={setKinds} />
      {fault !== undefined && <Fault text={fault} />}
      {result !== undefined && !isTried && <p role="status">{t('alerts.saved')}</p>}
      <div>
        <Button type="submit" pending={pending}>
          {t('alerts.save')}
        </Button>
      </div>
    </form>
  )
}
