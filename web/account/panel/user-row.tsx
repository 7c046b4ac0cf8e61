import { useQuery } from '@tanstack/react-query'
import type { Pool } from '#contract/wire'
import { query } from '../../state/reads/queries.ts'
import { useTranslation } from '../../state/i18n.ts'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { ReadFailed } from '../read-failed.tsx'
import { Row } from './setting-rows.tsx'

interface UserRowProps {
  pool: Pool
  /** The number of a proxy user; null: the customer's own lines. */
  value: number | null
  onChange: (value: number | null) => void
}

/** The owner of the lines: the customer or a proxy user. Shown only if there are proxy users. */
export function UserRow({ pool, value, onChange }: UserRowProps) {
  const { t } = useTranslation('userPanel')
  const { data, isError, isFetching, refetch } = useQuery(query('get_proxy_users', { pool }))
  if (data === undefined && isError)
    return (
      <Row label={t('whose.label')}>
        <ReadFailed named what={t('whose.label')} pending={isFetching} onRetry={() => void refetch()} />
      </Row>
    )
  if (data === undefined || data.users.length === 0) return null
  const options = data.users.map(({ number, label }) => ({ value: String(number), label }))
  // One of a reseller's many that are not on the first page.
  if (value !== null && !data.users.some(({ number }) => number === value))
    options.push({ value: String(value), label: `№ ${value}` })
  return (
    <Row label={t('whose.label')}>
      <SelectField
        label={t('whose.label')}
        labelHidden
        value={value === null ? '' : String(value)}
        options={[{ value: '', label: t('whose.own') }, ...options]}
        onChange={(chosen) => onChange(chosen === '' ? null : Number(chosen))}
      />
    </Row>
  )
}
