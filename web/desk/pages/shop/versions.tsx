import { useToldRead } from '../../state/told-read.ts'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { partNames } from '#contract/desk/choices'
import type { DeskInput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Badge } from '../../parts/badge.tsx'
import { ChoiceFilter, FilterBar } from '../../parts/filters.tsx'
import { given } from '../../parts/given.ts'
import { Fault, Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { useAct } from '../../state/use-act.ts'
import type { Column } from '../../table/columns.ts'
import { List, type RowOf } from '../../table/list.tsx'
import { Preview } from './preview.tsx'

type Filters = Omit<DeskInput<'content_versions'>, 'after' | 'limit'>
type Version = RowOf<'content_versions'>

/** All published versions, which can be viewed and restored. */
export function VersionList() {
  const { t } = useTranslation('deskShop')
  const [search] = useSearchParams()
  const filters = useMemo(() => given(search, ['part']) as Filters, [search])
  const [open, setOpen] = useState<Version | null>(null)
  const columns = useMemo(
    (): readonly Column<Version>[] => [
      {
        id: 'at',
        title: t('versions.at'),
        fixed: true,
        phone: true,
        cell: ({ at }) => <Moment iso={at} />,
      },
      { id: 'part', title: t('versions.part'), phone: true, cell: ({ part }) => t(`shop.tab.${part}`) },
      { id: 'by', title: t('versions.by'), cell: ({ by }) => by },
      {
        id: 'state',
        title: t('versions.state'),
        cell: ({ current, restores }) => (
          <>
            {current && <Badge tone="good">{t('versions.current')}</Badge>}{' '}
            {restores !== null && <span>{t('versions.restored', { id: restores })}</span>}
          </>
        ),
      },
      { id: 'id', title: t('versions.number'), numeric: true, cell: ({ id }) => id },
      {
        id: 'act',
        title: t('versions.act'),
        phone: true,
        cell: (version) => (
          <Button size="small" variant="ghost" onClick={() => setOpen(version)}>
            {t('versions.show')}
          </Button>
        ),
      },
    ],
    [t],
  )
  return (
    <>
      <List
        call="content_versions"
        label={t('shop.tab.history')}
        filters={filters}
        columns={columns}
        rowId={({ id }) => id}
        empty={<p>{t('versions.none')}</p>}
        bar={
          <FilterBar>
            <ChoiceFilter
              field="part"
              label={t('versions.part')}
              all={t('versions.anyPart')}
              options={partNames.map((value) => ({ value, label: t(`shop.tab.${value}`) }))}
            />
          </FilterBar>
        }
      />
      {open !== null && <VersionDialog version={open} onClose={() => setOpen(null)} />}
    </>
  )
}

function VersionDialog({ version, onClose }: { version: Version; onClose: () => void }) {
  const { t } = useTranslation(['deskShop', 'desk'])
  const mayRestore = useMay()('restore_content') && !version.current
  const read = useQuery(query('content_version', { id: version.id }))
  const content = useToldRead(query('content', {}))
  const { pending, fault, run } = useAct('restore_content', onClose)
  const seen = content.data?.versions.find(({ part }) => part === version.part)?.id
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={t('versions.title', { part: t(`shop.tab.${version.part}`), id: version.id })}
      closeLabel={t('desk:close')}
      footer={
        mayRestore &&
        seen !== undefined && (
          <Button variant="primary" pending={pending} onClick={() => run({ id: version.id, seen })}>
            {t('versions.restore')}
          </Button>
        )
      }
    >
      {fault !== undefined && <Fault text={fault} />}
      <Loaded query={read}>{({ part, value }) => <Preview part={part} value={value} />}</Loaded>
    </Dialog>
  )
}
