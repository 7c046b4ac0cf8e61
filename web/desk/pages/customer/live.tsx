import { keepPreviousData, useQuery } from '@tanstack/react-query'
import RefreshCw from 'lucide-react/icons/refresh-cw'
import { useMemo, useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { Fault, Loaded } from '../../parts/loaded.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useMay, useSession } from '../../state/session.ts'
import { useAct } from '../../state/use-act.ts'
import { customerName } from '../../subjects/customer-name.ts'
import type { Column } from '../../table/columns.ts'
import { PlainTable } from '../../table/plain-table.tsx'
import styles from './customer.module.css'
import { spanText } from './span.ts'
import type { Customer } from './types.ts'

type Live = DeskOutput<'live_connections'>
type Row = Live['rows'][number]

/** The tunnels that are open at the gateways; read when this is shown, and again on demand. */
export function LiveConnections({ customer }: { customer: Customer }) {
  const { t } = useTranslation('deskCustomer')
  const { member } = useSession()
  const mayCut = useMay()('cut_connections')
  const [reason, setReason] = useState<string | null>(null)
  const [dialog, setDialog] = useState<'targets' | 'cut' | null>(null)
  const asked = { id: customer.id, ...(reason === null ? {} : { reason }) }
  const live = useQuery({
    ...query('live_connections', asked),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
  const again = () => void live.refetch()
  return (
    <div className={styles.live}>
      <div className={styles.liveBar}>
        <p role="status">{live.data !== undefined && <Count live={live.data} />}</p>
        <Button
          size="small"
          icon={<RefreshCw size={14} aria-hidden="true" />}
          pending={live.isFetching}
          onClick={again}
        >
          {t('live.again')}
        </Button>
        {reason === null && member.permissions.includes('connections.targets') && (
          <Button size="small" onClick={() => setDialog('targets')}>
            {t('live.targets')}
          </Button>
        )}
        {mayCut && (live.data?.open ?? 0) > 0 && (
          <Button size="small" onClick={() => setDialog('cut')}>
            {t('live.cutAll')}
          </Button>
        )}
      </div>
      <Loaded query={live}>
        {({ rows }) => (
          <Connections
            customer={customer}
            rows={rows}
            mayCut={mayCut}
            showsTargets={reason !== null}
            onCut={again}
          />
        )}
      </Loaded>
      {dialog === 'targets' && (
        <ActDialog
          title={t('live.targetsTitle')}
          description={t('live.targetsText')}
          submit={t('live.targets')}
          pending={false}
          fault={undefined}
          onClose={() => setDialog(null)}
          onSubmit={(why) => {
            setReason(why)
            setDialog(null)
          }}
        />
      )}
      {dialog === 'cut' && <CutAllDialog customer={customer} onClose={() => setDialog(null)} onCut={again} />}
    </div>
  )
}

function Count({ live }: { live: Live }) {
  const { t } = useTranslation('deskCustomer')
  const { open, answered, asked, rows } = live
  return (
    <>
      <span>{`${t('live.open', { count: open })}${rows.length < open ? ` ${t('live.newest', { count: rows.length })}` : ''}${answered < asked ? ` ${t('live.silent', { answered, asked })}` : ''}`}</span>
    </>
  )
}

interface ConnectionsProps {
  customer: Customer
  rows: readonly Row[]
  mayCut: boolean
  showsTargets: boolean
  onCut: () => void
}

function Connections({ customer, rows, mayCut, showsTargets, onCut }: ConnectionsProps) {
  const { t } = useTranslation(['deskCustomer', 'header'])
  const { traffic, language } = useFigures()
  const { fault, run } = useAct('cut_connections', onCut)
  const columns = useMemo((): readonly Column<Row>[] => {
    const cut: Column<Row> = {
      id: 'cut',
      title: t('live.act'),
      fixed: true,
      phone: true,
      cell: ({ request_id }) => (
        <Button size="small" variant="ghost" onClick={() => run({ id: customer.id, request_id })}>
          {t('live.cut')}
        </Button>
      ),
    }
    const target: Column<Row> = {
      id: 'target',
      title: t('live.target'),
      phone: true,
      cell: ({ target: text }) => <code translate="no">{text ?? '—'}</code>,
    }
    return [
      {
        id: 'since',
        title: t('live.since'),
        fixed: true,
        phone: true,
        cell: ({ open_ms: ms }) => spanText(ms, language),
      },
      { id: 'pool', title: t('live.pool'), phone: true, cell: ({ pool }) => t(`header:pools.${pool}`) },
      ...(showsTargets ? [target] : []),
      { id: 'exit', title: t('live.exit'), cell: ({ exit }) => exit ?? '—' },
      { id: 'country', title: t('live.country'), cell: ({ country }) => country?.toUpperCase() ?? '—' },
      {
        id: 'traffic',
        title: t('live.traffic'),
        numeric: true,
        phone: true,
        cell: (row) => traffic(row.relayed_bytes),
      },
      { id: 'idle', title: t('live.idle'), numeric: true, cell: ({ idle_ms: ms }) => spanText(ms, language) },
      {
        id: 'ip',
        title: t('live.ip'),
        optional: true,
        cell: ({ ip }) => <code translate="no">{ip ?? '—'}</code>,
      },
      { id: 'protocol', title: t('live.protocol'), optional: true, cell: ({ protocol }) => protocol },
      {
        id: 'gateway',
        title: t('live.gateway'),
        optional: true,
        cell: ({ gateway }) => <code translate="no">{gateway}</code>,
      },
      {
        id: 'request',
        title: t('live.request'),
        optional: true,
        cell: ({ request_id: id }) => <code translate="no">{id}</code>,
      },
      ...(mayCut ? [cut] : []),
    ]
  }, [t, traffic, language, run, mayCut, showsTargets, customer.id])
  return (
    <>
      {fault !== undefined && <Fault text={fault} />}
      {rows.length === 0 ? (
        <p className={styles.quiet}>{t('live.none')}</p>
      ) : (
        <PlainTable
          table="live"
          label={t('lists.live')}
          columns={columns}
          rows={rows}
          rowId={({ request_id: id }) => id}
        />
      )}
    </>
  )
}

function CutAllDialog({
  customer,
  onClose,
  onCut,
}: {
  customer: Customer
  onClose: () => void
  onCut: () => void
}) {
  const { t } = useTranslation('deskCustomer')
  const { pending, fault, run } = useAct('cut_connections', () => {
    onClose()
    onCut()
  })
  return (
    <ActDialog
      title={t('live.cutTitle', { name: customerName(customer) })}
      description={t('live.cutText')}
      submit={t('live.cutAll')}
      isDanger
      reason="optional"
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={(reason) => run({ id: customer.id, ...(reason === '' ? {} : { reason }) })}
    />
  )
}
