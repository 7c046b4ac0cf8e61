import { useMemo } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useSearchParameter } from '../../../state/search-parameter.ts'
import { useTranslation } from '../../../state/i18n.ts'
import { Badge } from '../../parts/badge.tsx'
import { FilterBar, TextFilter } from '../../parts/filters.tsx'
import { PlainTable } from '../../table/plain-table.tsx'
import type { Column } from '../../table/columns.ts'
import styles from './settings.module.css'

type Settings = DeskOutput<'settings'>
type Variable = Settings['environment'][number]

const tones = { environment: 'good', file: 'good', desk: 'good', default: 'quiet' } as const

/** The settings of the environment, read-only. */
export function EnvironmentTable({ settings }: { settings: Settings }) {
  const { t } = useTranslation('deskSettings')
  const [search] = useSearchParameter()
  const text = (search.get('text') ?? '').toUpperCase()
  const rows = settings.environment.filter(({ name }) => name.includes(text))
  const columns = useMemo(
    (): readonly Column<Variable>[] => [
      {
        id: 'name',
        title: t('settings.variable'),
        fixed: true,
        phone: true,
        cell: ({ name }) => <code translate="no">{name}</code>,
      },
      {
        id: 'value',
        title: t('settings.value'),
        phone: true,
        cell: ({ secret, source, value }) =>
          secret || value === null ? (
            <span className={styles.quiet}>
              {t(secret && source !== 'default' ? 'settings.isSet' : 'settings.notSet')}
            </span>
          ) : (
            <code translate="no">{value}</code>
          ),
      },
      {
        id: 'source',
        title: t('settings.sourceTitle'),
        cell: ({ source }) => <Badge tone={tones[source]}>{t(`settings.source.${source}`)}</Badge>,
      },
    ],
    [t],
  )
  return (
    <>
      <p className={styles.intro}>
        {`${t('settings.environmentIntro')}${settings.file !== null ? ` ${t('settings.environmentFile', { file: settings.file })}` : ''}`}
      </p>
      <FilterBar>
        <TextFilter field="text" label={t('settings.search')} main />
      </FilterBar>
      {rows.length === 0 ? (
        <p>{t('settings.noneFound')}</p>
      ) : (
        <PlainTable
          table="environment"
          label={t('settings.tab.environment')}
          columns={columns}
          rows={rows}
          rowId={({ name }) => name}
        />
      )}
    </>
  )
}
