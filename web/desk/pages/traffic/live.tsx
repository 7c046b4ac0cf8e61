import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Section } from '../../parts/section.tsx'
import { Totals } from '../../parts/totals.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { useAct } from '../../state/use-act.ts'
import type { Column } from '../../table/columns.ts'
import { PlainTable } from '../../table/plain-table.tsx'
import { bitRateOf, tunnelsOf, uptimeOf } from './gateway-figures.ts'
import styles from './traffic.module.css'

type Gateway = DeskOutput<'gateways'>[number]
type Worker = Gateway['workers'][number]

type Act = 'drain' | 'undrain' | 'revoke'

interface Acting {
  name: string
  act: Act
}

/** Gateways report every 5 s. */
const pollMs = 5000

const tones: Readonly<Record<Gateway['state'], Tone>> = {
  running: 'good',
  draining: 'warning',
  drained: 'quiet',
  stopped: 'quiet',
  silent: 'bad',
}

/** The current load, and the gateways that carry it. */
export function Live() {
  const { t } = useTranslation('deskTraffic')
  const { number, traffic } = useFigures()
  const gateways = useQuery({ ...query('gateways', {}), refetchInterval: pollMs })
  const [acting, setActing] = useState<Acting | null>(null)
  const columns = useGatewayColumns(setActing)
  const mbits = useMbits()
  return (
    <Section title={t('live.title')}>
      <Loaded query={gateways}>
        {(all) =>
          all.length === 0 ? (
            <p className={styles.note}>{t('live.none')}</p>
          ) : (
            <div className={styles.part}>
              <Totals
                totals={[
                  { name: t('live.tunnels'), value: number(tunnelsOf(all)) },
                  { name: t('live.rate'), value: mbits(bitRateOf(all)) },
                  {
                    name: t('live.leases'),
                    value: number(all.reduce((sum, { leases }) => sum + leases, 0)),
                    note: traffic(all.reduce((sum, gateway) => sum + BigInt(gateway.leased_bytes), 0n)),
                  },
                ]}
              />
              <PlainTable
                table="gateways"
                label={t('live.gateways')}
                columns={columns}
                rows={all}
                rowId={({ name }) => name}
              />
              <Workers workers={all.flatMap(({ workers }) => workers)} />
            </div>
          )
        }
      </Loaded>
      {acting !== null && <GatewayDialog {...acting} onClose={() => setActing(null)} />}
    </Section>
  )
}

function useMbits() {
  const { t } = useTranslation('deskTraffic')
  const { language } = useFigures()
  return (bits: bigint) =>
    t('live.mbits', {
      value: (Number(bits) / 1e6).toLocaleString(language, { maximumFractionDigits: 1 }),
    })
}

function useUptime() {
  const { t } = useTranslation('deskTraffic')
  return (startedAt: string) => {
    const { unit, ...values } = uptimeOf(startedAt, Date.now())
    return t(`live.up.${unit}`, values)
  }
}

function useGatewayColumns(onAct: (acting: Acting) => void): readonly Column<Gateway>[] {
  const { t } = useTranslation(['deskTraffic', 'deskPages'])
  const { number, traffic } = useFigures()
  const mbits = useMbits()
  const uptime = useUptime()
  const may = useMay()
  const mayDrain = may('drain_gateway')
  const mayRevoke = may('revoke_gateway_token')
  const act: Column<Gateway> = {
    id: 'act',
    title: t('live.act'),
    phone: true,
    fixed: true,
    cell: ({ name, drain_asked_at: asked }) => {
      const wanted = asked === null ? 'drain' : 'undrain'
      return (
        <Button size="small" onClick={() => onAct({ name, act: wanted })}>
          {t(`live.${wanted}`)}
        </Button>
      )
    },
  }
  return [
    {
      id: 'name',
      title: t('live.gateway'),
      fixed: true,
      phone: true,
      cell: ({ name }) => <span className={styles.name}>{name}</span>,
    },
    {
      id: 'state',
      title: t('deskPages:column.state'),
      phone: true,
      cell: ({ state }) => <Badge tone={tones[state]}>{t(`live.state.${state}`)}</Badge>,
    },
    { id: 'version', title: t('live.version'), cell: ({ version }) => version },
    { id: 'address', title: t('live.address'), optional: true, cell: ({ address }) => address },
    {
      id: 'workers',
      title: t('live.workers'),
      numeric: true,
      cell: (gateway) => `${gateway.workers.length} / ${gateway.worker_count}`,
    },
    {
      id: 'uptime',
      title: t('live.uptime'),
      numeric: true,
      cell: (gateway) => uptime(gateway.started_at),
    },
    {
      id: 'tunnels',
      title: t('live.tunnels'),
      numeric: true,
      cell: (gateway) => number(tunnelsOf([gateway])),
    },
    {
      id: 'rate',
      title: t('live.rate'),
      numeric: true,
      cell: (gateway) => mbits(bitRateOf([gateway])),
    },
    {
      id: 'leases',
      title: t('live.leases'),
      numeric: true,
      cell: ({ leases, leased_bytes: bytes }) => `${number(leases)} · ${traffic(bytes)}`,
    },
    {
      id: 'waiting',
      title: t('live.waiting'),
      numeric: true,
      cell: ({ reports_waiting: waiting }) => number(waiting),
    },
    {
      id: 'token',
      title: t('live.token'),
      cell: ({ name, token }) => (
        <span className={styles.token}>
          <span>{t(`live.tokens.${token ?? 'shared'}`)}</span>
          {token === 'own' && mayRevoke && (
            <Button size="small" onClick={() => onAct({ name: name.replace(/-b$/, ''), act: 'revoke' })}>
              {t('live.revoke')}
            </Button>
          )}
        </span>
      ),
    },
    {
      id: 'seen',
      title: t('live.seen'),
      numeric: true,
      cell: ({ seen_at: at }) => <Moment iso={at} recent />,
    },
    ...(mayDrain ? [act] : []),
  ]
}

/** The workers of all gateways, collapsed at first. */
function Workers({ workers }: { workers: readonly Worker[] }) {
  const { t } = useTranslation('deskTraffic')
  const { number } = useFigures()
  const mbits = useMbits()
  const uptime = useUptime()
  const count = (value: number | null) => (value === null ? '' : number(value))
  const columns: readonly Column<Worker>[] = [
    { id: 'name', title: t('live.worker'), fixed: true, phone: true, cell: ({ name }) => name },
    { id: 'uptime', title: t('live.uptime'), numeric: true, cell: (worker) => uptime(worker.started_at) },
    {
      id: 'tunnels',
      title: t('live.tunnels'),
      numeric: true,
      phone: true,
      cell: ({ tunnels }) => count(tunnels),
    },
    {
      id: 'rate',
      title: t('live.rate'),
      numeric: true,
      phone: true,
      cell: ({ bits_per_second: bits }) => (bits === null ? '' : mbits(BigInt(bits))),
    },
    { id: 'leases', title: t('live.leases'), numeric: true, cell: ({ leases }) => count(leases) },
    {
      id: 'waiting',
      title: t('live.waiting'),
      numeric: true,
      cell: ({ reports_waiting: waiting }) => count(waiting),
    },
  ]
  if (workers.length === 0) return null
  return (
    <details className={styles.workers}>
      <summary>{t('live.workersOf')}</summary>
      <PlainTable
        table="workers"
        label={t('live.workers')}
        columns={columns}
        rows={workers}
        rowId={({ name }) => name}
      />
    </details>
  )
}

const calls = {
  drain: 'drain_gateway',
  undrain: 'undrain_gateway',
  revoke: 'revoke_gateway_token',
} as const satisfies Record<Act, string>

function GatewayDialog({ name, act, onClose }: Acting & { onClose: () => void }) {
  const { t } = useTranslation('deskTraffic')
  const { pending, fault, run } = useAct(calls[act], onClose)
  return (
    <ActDialog
      title={t(`live.${act}Title`, { name })}
      description={t(`live.${act}Text`)}
      submit={t(`live.${act}`)}
      isDanger={act === 'revoke'}
      reason="optional"
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={(reason) => run({ name, ...(reason === '' ? {} : { reason }) })}
    />
  )
}
