import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import type { DeskInput } from '#contract/desk/contract'
import { settingNames } from '#contract/desk/shop-settings'
import { useTranslation } from '../../../state/i18n.ts'
import { ChoiceFilter, FilterBar } from '../../parts/filters.tsx'
import { given } from '../../parts/given.ts'
import { Moment } from '../../parts/moment.tsx'
import type { Column } from '../../table/columns.ts'
import { List, type RowOf } from '../../table/list.tsx'
import { useSettingText } from './use-setting-text.ts'
import { useSettingTitle } from './use-setting-title.ts'

type Filters = Omit<DeskInput<'setting_changes'>, 'after' | 'limit'>

/** The history of settings: author, old and new value, reason. */
export function SettingHistory() {
  const { t } = useTranslation('deskSettings')
  const textOf = useSettingText()
  const titleOf = useSettingTitle()
  const [search] = useSearchParams()
  const filters = useMemo(() => given(search, ['name']) as Filters, [search])
  const columns: readonly Column<RowOf<'setting_changes'>>[] = [
    {
      id: 'at',
      title: t('settings.changedAt'),
      fixed: true,
      phone: true,
      cell: ({ at }) => <Moment iso={at} />,
    },
    { id: 'name', title: t('settings.name'), phone: true, cell: ({ name }) => titleOf(name).title },
    { id: 'before', title: t('settings.before'), cell: ({ name, before }) => textOf(name, before) },
    { id: 'after', title: t('settings.after'), phone: true, cell: ({ name, after }) => textOf(name, after) },
    { id: 'by', title: t('settings.by'), cell: ({ by }) => by },
    { id: 'reason', title: t('settings.reason'), cell: ({ reason }) => reason },
  ]
  return (
    <List
      call="setting_changes"
      label={t('settings.history')}
      filters={filters}
      columns={columns}
      rowId={({ id }) => id}
      empty={<p>{t(filters.name === undefined ? 'settings.noChanges' : 'settings.noChangesFound')}</p>}
      bar={
        <FilterBar>
          <ChoiceFilter
            field="name"
            label={t('settings.name')}
            all={t('settings.anySetting')}
            options={settingNames.map((value) => ({ value, label: titleOf(value).title }))}
          />
        </FilterBar>
      }
    />
  )
}
