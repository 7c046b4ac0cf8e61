import Search from 'lucide-react/icons/search'
import { type FormEvent, useId, useMemo, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { proxyCodes } from '#contract/gateway/refusals'
import { type Pool, pools } from '#contract/wire'
import { useOptionalRead } from '../../state/reads/optional-read.ts'
import { query } from '../../state/reads/queries.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useSearchParameter } from '../../state/search-parameter.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { requestHref, tabHref } from '#contract/account-tabs'
import styles from './filter-bar.module.css'
import { type Filters, outcomes, ownLogin, times } from './filters.ts'

const idFormat = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The filters that are typed, with an example of each. */
const typed = {
  host: { name: 'host', placeholder: 'example.com', maxLength: 300 },
  country: { name: 'country', placeholder: 'us', maxLength: 2 },
} as const

/** The filters of the list, kept in the address, and the search for one request. */
export function FilterBar({ filters }: { filters: Filters }) {
  const [isOpen, setOpen] = useState(Object.keys(filters).length > 0)
  const { t } = useTranslation(['requests', 'header', 'gatewayRefusals'])
  const [, setParameter] = useSearchParameter()
  const any = { value: '', label: t('requests:any') }
  const language = useLanguage()
  const codeOptions = useMemo(
    () =>
      proxyCodes
        .map((value) => ({ value, label: t(`gatewayRefusals:names.${value}`) }))
        .toSorted((one, other) => one.label.localeCompare(other.label, language)),
    [t, language],
  )
  const choose = (name: keyof Filters) => (value: string) => setParameter(name, value === '' ? null : value)
  return (
    <>
      <SearchById />
      <details
        className={styles.filters}
        open={Object.keys(filters).length > 0 || undefined}
        onToggle={(event) => setOpen(event.currentTarget.open)}
      >
        <summary className={styles.summary}>{t('requests:filters')}</summary>
        <div className={styles.fields}>
          <SelectField
            label={t('requests:outcome')}
            value={filters.outcome ?? ''}
            options={[any, ...outcomes.map((value) => ({ value, label: t(`requests:outcomes.${value}`) }))]}
            onChange={choose('outcome')}
          />
          <SelectField
            label={t('requests:pool')}
            value={filters.pool ?? ''}
            options={[any, ...pools.map((value) => ({ value, label: t(`header:pools.${value}`) }))]}
            onChange={choose('pool')}
          />
          <SelectField
            label={t('requests:time')}
            value={filters.time ?? ''}
            options={[any, ...times.map((value) => ({ value, label: t(`requests:times.${value}`) }))]}
            onChange={choose('time')}
          />
          <SelectField
            label={t('requests:refusalFilter')}
            value={filters.code ?? ''}
            options={[any, ...codeOptions]}
            onChange={choose('code')}
          />
          {isOpen && <UserFilter value={filters.user ?? ''} onChange={choose('user')} />}
          <Typed
            key={`h ${filters.host ?? ''}`}
            {...typed.host}
            label={t('requests:host')}
            value={filters.host ?? ''}
          />
          <Typed
            key={`c ${filters.country ?? ''}`}
            {...typed.country}
            label={t('requests:country')}
            value={filters.country ?? ''}
          />
          {Object.keys(filters).length > 0 && (
            <Link to={tabHref('requests')} className={styles.clear}>
              {t('requests:clear')}
            </Link>
          )}
        </div>
      </details>
    </>
  )
}

const useUsersOf = (pool: Pool) => useOptionalRead(query('get_proxy_users', { pool }))?.users ?? []

/** Proxy users of all pools; without any there is nothing to choose. */
function UserFilter({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation('requests')
  const residential = useUsersOf('residential')
  const premium = useUsersOf('residential_premium')
  const datacenter = useUsersOf('datacenter')
  const users = [...residential, ...premium, ...datacenter, ...useUsersOf('mobile')]
  const isKnown = value === '' || value === ownLogin || users.some(({ login }) => login === value)
  if (users.length === 0 && value === '') return null
  return (
    <SelectField
      label={t('user')}
      value={value}
      options={[
        { value: '', label: t('any') },
        { value: ownLogin, label: t('ownLogin') },
        ...users.map(({ login, label }) => ({ value: login, label })),
        ...(isKnown ? [] : [{ value, label: value }]),
      ]}
      onChange={onChange}
    />
  )
}

/** A filter that is typed; it applies with Enter, or when the field is left. */
function Typed({
  name,
  value,
  ...field
}: { label: string; value: string } & (typeof typed)[keyof typeof typed]) {
  const [, setParameter] = useSearchParameter()
  const [text, setText] = useState(value)
  const apply = () => {
    const wanted = text.trim().toLowerCase()
    if (wanted !== value) setParameter(name, wanted === '' ? null : wanted)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        apply()
      }}
    >
      <TextField
        {...field}
        value={text}
        mono
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
        onBlur={apply}
      />
    </form>
  )
}

function SearchById() {
  const { t } = useTranslation('requests')
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const [isWrong, setWrong] = useState(false)
  const formId = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const id = typed.trim()
    const isId = idFormat.test(id)
    setWrong(!isId)
    if (isId) void navigate(requestHref(id.toLowerCase()))
  }
  return (
    <form id={formId} className={styles.search} onSubmit={submit} noValidate>
      <TextField
        label={t('search')}
        hint={t('searchHint')}
        error={isWrong ? t('searchBad') : undefined}
        value={typed}
        mono
        maxLength={64}
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Button type="submit" icon={<Search size={16} aria-hidden="true" />}>
        {t('find')}
      </Button>
    </form>
  )
}
