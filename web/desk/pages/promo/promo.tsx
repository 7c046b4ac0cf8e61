import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import type { DeskInput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Badge } from '../../parts/badge.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { ChoiceFilter, FilterBar, TextFilter } from '../../parts/filters.tsx'
import { given } from '../../parts/given.ts'
import { Moment } from '../../parts/moment.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import type { Column } from '../../table/columns.ts'
import { List, type RowOf } from '../../table/list.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { useMay } from '../../state/session.ts'
import { useAct } from '../../state/use-act.ts'
import { CreateDialog } from './create-dialog.tsx'

const filterNames = ['text', 'state']
const states = ['good', 'disabled', 'expired', 'used_up'] as const
const tones = { good: 'good', disabled: 'bad', expired: 'quiet', used_up: 'quiet' } as const
type Filters = Omit<DeskInput<'promo_codes'>, 'after' | 'limit'>
type Code = RowOf<'promo_codes'>

export function PromoPage() {
  const { t } = useTranslation('deskPages')
  const may = useMay()
  const [search] = useSearchParams()
  const filters = useMemo(() => given(search, filterNames) as Filters, [search])
  const [isCreating, setCreating] = useState(false)
  const [stopping, setStopping] = useState<string | null>(null)
  const columns = usePromoColumns(may('stop_promo_code') ? setStopping : null)
  return (
    <>
      <PageHead
        title={t('promo.title')}
        actions={
          may('create_promo_codes') && (
            <Button variant="primary" onClick={() => setCreating(true)}>
              {t('promo.create')}
            </Button>
          )
        }
      />
      <List
        call="promo_codes"
        label={t('promo.title')}
        filters={filters}
        columns={columns}
        rowId={(code) => code.id}
        empty={<p>{t(search.size === 0 ? 'promo.none' : 'promo.noneFound')}</p>}
        bar={
          <FilterBar>
            <TextFilter field="text" label={t('promo.search')} main />
            <ChoiceFilter
              field="state"
              label={t('column.state')}
              all={t('filter.anyState')}
              options={states.map((value) => ({ value, label: t(`promo.state.${value}`) }))}
            />
          </FilterBar>
        }
      />
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
      {stopping !== null && <StopDialog code={stopping} onClose={() => setStopping(null)} />}
    </>
  )
}

function usePromoColumns(onStop: ((code: string) => void) | null): readonly Column<Code>[] {
  const { t } = useTranslation(['deskPages', 'header'])
  const { percent, traffic, number } = useFigures()
  return useMemo(() => {
    const gives = (code: Code) =>
      code.discount_ppm !== null
        ? t('promo.gives.discount', {
            percent: percent(code.discount_ppm / 1e6),
            gb: number(code.min_gb ?? 0),
          })
        : t('promo.gives.traffic', {
            traffic: traffic(code.bytes ?? '0'),
            pool: code.pool === null ? '' : t(`header:pools.${code.pool}`),
          })
    const stop: Column<Code> = {
      id: 'stop',
      title: t('promo.act'),
      numeric: true,
      phone: true,
      cell: ({ code, state }) =>
        state === 'good' && (
          <Button size="small" variant="ghost" onClick={() => onStop?.(code)}>
            {t('promo.stop')}
          </Button>
        ),
    }
    return [
      {
        id: 'code',
        title: t('promo.code'),
        fixed: true,
        phone: true,
        cell: ({ code }) => <code>{code}</code>,
      },
      {
        id: 'state',
        title: t('column.state'),
        phone: true,
        cell: ({ state }) => <Badge tone={tones[state]}>{t(`promo.state.${state}`)}</Badge>,
      },
      { id: 'gives', title: t('promo.grant'), cell: gives },
      {
        id: 'uses',
        title: t('promo.uses'),
        numeric: true,
        cell: (code) =>
          code.max_uses === null ? number(code.uses) : `${number(code.uses)} / ${number(code.max_uses)}`,
      },
      {
        id: 'expires',
        title: t('promo.expires'),
        numeric: true,
        cell: (code) => (code.expires_at === null ? t('promo.never') : <Moment iso={code.expires_at} />),
      },
      {
        id: 'created',
        title: t('column.created'),
        numeric: true,
        cell: (code) => <Moment iso={code.created_at} recent />,
      },
      ...(onStop === null ? [] : [stop]),
    ]
  }, [t, percent, traffic, number, onStop])
}

function StopDialog({ code, onClose }: { code: string; onClose: () => void }) {
  const { t } = useTranslation('deskPages')
  const { pending, fault, run } = useAct('stop_promo_code', onClose)
  return (
    <ActDialog
      title={t('promo.stopTitle', { code })}
      description={t('promo.stopText')}
      submit={t('promo.stop')}
      reason="optional"
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={(reason) => run({ code, ...(reason === '' ? {} : { reason }) })}
    />
  )
}
