import { useToldRead } from '../../state/told-read.ts'
import { useState } from 'react'
import { pools } from '#contract/wire'
import { useTranslation } from '../../../state/i18n.ts'
import { PasswordField } from '../../../ui/fields/password-field.tsx'
import { Segmented } from '../../../ui/fields/segmented.tsx'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { query } from '../../state/api.ts'
import { useAct } from '../../state/use-act.ts'
import { ExitTest } from './exit-test.tsx'
import { countriesIn, emptyForm, exitIn, type Form, type Preset } from './new-exit.ts'
import styles from './exits.module.css'

interface FormProps {
  form: Form
  change: (part: Partial<Form>) => void
}

type TextName = 'name' | 'host' | 'port' | 'username' | 'weight' | 'limit' | 'countries'

/** Returns the properties of the text field for one value of the form. */
const textsOf =
  ({ form, change }: FormProps) =>
  (name: TextName) => ({
    value: form[name],
    onChange: (event: { target: { value: string } }) => change({ [name]: event.target.value }),
    spellCheck: false,
    autoComplete: 'off',
    mono: true,
  })

/** A seller’s proxy by its preset, a plain one, or this machine; tested before it is saved. */
export function AddDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['deskExits', 'deskPages', 'header'])
  const presets = useToldRead(query('exit_presets', {}))
  const [form, setForm] = useState<Form>(emptyForm)
  const [isUsed, setUsed] = useState(true)
  const saved = useAct('test_exit')
  const test = useAct('test_new_exit')
  /** The form as it was when it was tested last. */
  const [tested, setTested] = useState<Form | null>(null)
  const { pending, fault, run } = useAct('add_exit', ({ id }) => {
    // The earlier test was of a draft: the saved exit counts as tested after a test of its own.
    if (tested === form && test.result?.worked === true) saved.run({ id })
    onClose()
  })
  const preset = presets.data?.find(({ name }) => name === form.preset)
  const change = (part: Partial<Form>) => setForm((before) => ({ ...before, ...part }))
  const text = textsOf({ form, change })
  const isDirect = form.kind === 'direct'
  const given = () => exitIn(form, preset)
  const onTest = (settings: { line?: string }) => {
    const exit = given()
    if (exit === null) return
    setTested(form)
    test.run({ ...exit, ...settings })
  }
  const onSubmit = (reason: string) => {
    const exit = given()
    if (exit !== null) run({ ...exit, enabled: isUsed, ...(reason === '' ? {} : { reason }) })
  }
  return (
    <ActDialog
      title={t('exit.addTitle')}
      description={t('exit.addText')}
      submit={t('exit.save')}
      reason="optional"
      pending={pending}
      fault={fault}
      ready={given() !== null}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      <Segmented
        label={t('exit.protocol')}
        wide
        value={form.kind}
        options={[
          { value: 'http', label: t('exit.kind.http') },
          { value: 'socks5', label: t('exit.kind.socks5') },
          { value: 'direct', label: t('exit.kind.direct') },
        ]}
        onChange={(kind) => change({ kind })}
      />
      {isDirect ? (
        <p className={styles.note}>{t('exit.directText')}</p>
      ) : (
        <SelectField
          label={t('exit.seller')}
          value={form.preset}
          options={[
            { value: '', label: t('exit.noSeller') },
            ...(presets.data ?? []).map(({ name, title }) => ({ value: name, label: title })),
          ]}
          onChange={(name) => change({ preset: name, options: {} })}
        />
      )}
      <div className={styles.pair}>
        <TextField label={t('exit.name')} hint={t('exit.nameHint')} maxLength={64} {...text('name')} />
        <SelectField
          label={t('deskPages:column.pool')}
          value={form.pool}
          options={pools.map((value) => ({ value, label: t(`header:pools.${value}`) }))}
          onChange={(pool) => change({ pool })}
        />
      </div>
      {form.kind !== 'direct' && <Login form={form} kind={form.kind} preset={preset} change={change} />}
      <TextField
        label={t('exit.countries')}
        hint={t(isDirect ? 'exit.directCountriesHint' : 'exit.countriesHint')}
        error={countriesIn(form.countries) === null ? t('exit.badCountries') : undefined}
        {...text('countries')}
      />
      <div className={styles.pair}>
        <TextField label={t('deskPages:exits.weight')} inputMode="numeric" {...text('weight')} />
        <TextField
          label={t('deskPages:exits.limit')}
          hint={t('deskPages:exits.limitHint')}
          inputMode="numeric"
          {...text('limit')}
        />
      </div>
      {!isDirect && (
        <label className={styles.tick}>
          <input
            type="checkbox"
            checked={form.tls}
            onChange={(event) => change({ tls: event.target.checked })}
          />
          <span>{t('exit.tls')}</span>
        </label>
      )}
      <label className={styles.tick}>
        <input type="checkbox" checked={isUsed} onChange={(event) => setUsed(event.target.checked)} />
        <span>{t('exit.enabled')}</span>
      </label>
      <ExitTest {...test} onTest={onTest} />
    </ActDialog>
  )
}

interface LoginProps extends FormProps {
  kind: 'http' | 'socks5'
  preset: Preset | undefined
}

/** The address of the proxy, and its credentials. */
function Login({ form, kind, preset, change }: LoginProps) {
  const { t } = useTranslation(['deskExits', 'desk'])
  const text = textsOf({ form, change })
  const own = preset?.[kind] ?? null
  return (
    <>
      <div className={styles.pair}>
        <TextField
          label={t('exit.host')}
          hint={own === null ? undefined : t('exit.ownAddress', { address: own.host })}
          {...text('host')}
        />
        <TextField
          label={t('exit.port')}
          hint={own === null ? undefined : t('exit.ownAddress', { address: String(own.port) })}
          inputMode="numeric"
          {...text('port')}
        />
      </div>
      <div className={styles.pair}>
        {preset?.takes_username !== false && (
          <TextField
            label={t('exit.username')}
            hint={
              preset?.username_example == null
                ? undefined
                : t('exit.usernameHint', { example: preset.username_example })
            }
            {...text('username')}
          />
        )}
        <PasswordField
          label={t('exit.password')}
          value={form.password}
          onChange={(event) => change({ password: event.target.value })}
          autoComplete="off"
          showText={t('desk:password.show')}
          hideText={t('desk:password.hide')}
        />
      </div>
      {preset !== undefined && preset.options.length > 0 && (
        <fieldset className={styles.options}>
          <legend>{t('exit.options')}</legend>
          {preset.options.map(({ key, meaning }) => (
            <TextField
              key={key}
              label={<code translate="no">{key}</code>}
              hint={meaning}
              value={form.options[key] ?? ''}
              onChange={(event) => change({ options: { ...form.options, [key]: event.target.value } })}
              spellCheck={false}
              mono
            />
          ))}
        </fieldset>
      )}
    </>
  )
}
