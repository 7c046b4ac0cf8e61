import { useMemo, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { DeskInput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { useSearchParameter } from '../../../state/search-parameter.ts'
import { Button } from '../../../ui/button.tsx'
import { Segmented } from '../../../ui/fields/segmented.tsx'
import { Badge } from '../../parts/badge.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { ChoiceFilter, FilterBar, TextFilter } from '../../parts/filters.tsx'
import { given } from '../../parts/given.ts'
import { Moment } from '../../parts/moment.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import type { Column } from '../../table/columns.ts'
import { List, type RowOf } from '../../table/list.tsx'
import { SavedViews } from '../../table/views.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { useMay } from '../../state/session.ts'
import { useAct } from '../../state/use-act.ts'
import { Campaigns } from './campaigns.tsx'
import { ChangeDialog } from './change-dialog.tsx'
import { CreateDialog } from './create-dialog.tsx'
import styles from './promo.module.css'

const tabs = ['codes', 'campaigns'] as const
const filterNames = ['text', 'state', 'batch']
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
  const [changing, setChanging] = useState<Code | null>(null)
  const [isStoppingBatch, setStoppingBatch] = useState(false)
  const { batch } = filters
  const acts = useMemo(() => ({ onStop: setStopping, onChange: setChanging }), [])
  const columns = usePromoColumns(may('stop_promo_code') ? acts : null)
  const [, setParameter] = useSearchParameter()
  const tab = search.get('tab') === 'campaigns' ? 'campaigns' : 'codes'
  return (
    <>
      <PageHead
        title={t('promo.title')}
        meta={
          <Segmented
            label={t('promo.show')}
            value={tab}
            options={tabs.map((value) => ({ value, label: t(`promo.tab.${value}`) }))}
            onChange={(next) => setParameter('tab', next === 'codes' ? null : next)}
          />
        }
        actions={
          tab === 'codes' && (
            <>
              <SavedViews />
              {may('create_promo_codes') && (
                <Button variant="primary" onClick={() => setCreating(true)}>
                  {t('promo.create')}
                </Button>
              )}
            </>
          )
        }
      />
      {tab === 'campaigns' ? (
        <Campaigns />
      ) : (
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
              {batch !== undefined && (
                <span className={styles.chosenBatch}>
                  <span>{t('promo.ofBatch', { batch })}</span>
                  {may('stop_promo_batch') && (
                    <Button size="small" variant="danger" onClick={() => setStoppingBatch(true)}>
                      {t('promo.stopBatch')}
                    </Button>
                  )}
                  <Button size="small" variant="ghost" onClick={() => setParameter('batch', null)}>
                    {t('promo.allCodes')}
                  </Button>
                </span>
              )}
            </FilterBar>
          }
        />
      )}
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
      {changing !== null && <ChangeDialog code={changing} onClose={() => setChanging(null)} />}
      {isStoppingBatch && batch !== undefined && (
        <StopBatchDialog batch={batch} onClose={() => setStoppingBatch(false)} />
      )}
      {stopping !== null && <StopDialog code={stopping} onClose={() => setStopping(null)} />}
    </>
  )
}

interface CodeActs {
  onStop: (code: string) => void
  onChange: (code: Code) => void
}

/** Null: the member may not change codes. */
function usePromoColumns(acts: CodeActs | null): readonly Column<Code>[] {
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
    const limits = (code: Code) =>
      [
        ...(code.first_purchase ? [t('promo.limit.firstPurchase')] : []),
        ...(code.pools === null ? [] : [code.pools.map((pool) => t(`header:pools.${pool}`)).join(', ')]),
        ...(code.uses_per_person === 1 ? [] : [t('promo.limit.perPerson', { count: code.uses_per_person })]),
      ].join('; ')
    const act: Column<Code> = {
      id: 'act',
      title: t('promo.act'),
      numeric: true,
      phone: true,
      cell: (code) => (
        <div className={styles.acts}>
          {code.state !== 'disabled' && (
            <Button size="small" variant="ghost" onClick={() => acts?.onChange(code)}>
              {t('promo.change')}
            </Button>
          )}
          {code.state === 'good' && (
            <Button size="small" variant="ghost" onClick={() => acts?.onStop(code.code)}>
              {t('promo.stop')}
            </Button>
          )}
        </div>
      ),
    }
    return [
      {
        id: 'code',
        title: t('promo.code'),
        fixed: true,
        phone: true,
        cell: ({ code, batch }) => (
          <>
            <code translate="no">{code}</code>
            {batch !== null && (
              <Link to={`/promo-codes?batch=${encodeURIComponent(batch)}`} className={styles.batch}>
                {batch}
              </Link>
            )}
          </>
        ),
      },
      {
        id: 'state',
        title: t('column.state'),
        phone: true,
        cell: ({ state }) => <Badge tone={tones[state]}>{t(`promo.state.${state}`)}</Badge>,
      },
      { id: 'gives', title: t('promo.grant'), cell: gives },
      {
        id: 'limits',
        title: t('promo.limits'),
        cell: (code) => <span className={styles.limits}>{limits(code)}</span>,
      },
      {
        id: 'uses',
        title: t('promo.uses'),
        numeric: true,
        cell: (code) => (
          <Link to={`/promo-codes/${code.id}?code=${encodeURIComponent(code.code)}`}>
            {code.max_uses === null ? number(code.uses) : `${number(code.uses)} / ${number(code.max_uses)}`}
          </Link>
        ),
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
        optional: true,
        cell: (code) => <Moment iso={code.created_at} recent />,
      },
      ...(acts === null ? [] : [act]),
    ]
  }, [t, percent, traffic, number, acts])
}

function StopDialog({ code, onClose }: { code: string; onClose: () => void }) {
  const { t } = useTranslation('deskPages')
  const { pending, fault, run } = useAct('stop_promo_code', onClose)
  return (
    <ActDialog
      title={t('promo.stopTitle', { code })}
      description={t('promo.stopText')}
      submit={t('promo.stop')}
      isDanger
      reason="optional"
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={(reason) => run({ code, ...(reason === '' ? {} : { reason }) })}
    />
  )
}

function StopBatchDialog({ batch, onClose }: { batch: string; onClose: () => void }) {
  const { t } = useTranslation('deskPages')
  const { pending, fault, run } = useAct('stop_promo_batch', onClose)
  return (
    <ActDialog
      title={t('promo.stopBatchTitle', { batch })}
      description={t('promo.stopBatchText')}
      submit={t('promo.stopBatch')}
      isDanger
      reason="optional"
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={(reason) => run({ batch, ...(reason === '' ? {} : { reason }) })}
    />
  )
}
