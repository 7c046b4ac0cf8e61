import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Section } from '../../parts/section.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { AttemptsChart } from './attempts.tsx'
import { type ExitHealth, ExitState } from './exit-state.tsx'
import styles from './health.module.css'

type Gateway = DeskOutput<'gateway_health'>[number]

const pollMs = 10_000

/** The exits and gateways at present, the worst first. */
export function HealthBoard() {
  const { t } = useTranslation('deskPages')
  const exits = useQuery({ ...query('exit_health', {}), refetchInterval: pollMs })
  const gateways = useQuery({ ...query('gateway_health', {}), refetchInterval: pollMs })
  return (
    <div className={styles.boards}>
      <Section title={t('health.exits')}>
        <Loaded query={exits}>
          {(rows) =>
            rows.length === 0 ? (
              <p>{t('health.noExits')}</p>
            ) : (
              <ul className={styles.board}>
                {rows.map((exit) => (
                  <li key={exit.id}>
                    <ExitRow exit={exit} />
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
      <Section title={t('health.gateways')}>
        <Loaded query={gateways}>
          {(rows) =>
            rows.length === 0 ? (
              <p>{t('health.noGateways')}</p>
            ) : (
              <ul className={styles.board}>
                {rows.map((gateway) => (
                  <li key={gateway.name}>
                    <GatewayRow gateway={gateway} />
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
    </div>
  )
}

function ExitRow({ exit }: { exit: ExitHealth }) {
  const { t } = useTranslation(['deskPages', 'header'])
  return (
    <Link to={`/exits?exit=${exit.id}`} className={styles.row}>
      <span className={styles.name}>
        <strong>{exit.name}</strong>
        <span className={styles.since}>{t(`header:pools.${exit.pool}`)}</span>
        <ExitState health={exit} />
      </span>
      <AttemptsChart minutes={exit.minutes} />
    </Link>
  )
}

const tones: Readonly<Record<Gateway['state'], Tone>> = {
  running: 'good',
  draining: 'warning',
  drained: 'quiet',
  stopped: 'quiet',
  silent: 'bad',
}

function GatewayRow({ gateway }: { gateway: Gateway }) {
  const { t } = useTranslation('deskPages')
  const { number, recent, language } = useFigures()
  const may = useMay()
  const mbits = (Number(gateway.bits_per_second) / 1e6).toLocaleString(language, { maximumFractionDigits: 1 })
  const content = (
    <>
      <span className={styles.name}>
        <strong translate="no">{gateway.name}</strong>
        <Badge tone={tones[gateway.state]}>{t(`health.gateway.${gateway.state}`)}</Badge>
        {gateway.state === 'silent' && (
          <span className={styles.since}>{t('health.since', { time: recent(gateway.seen_at) })}</span>
        )}
      </span>
      <span className={styles.figures}>
        {t('health.load', { connections: number(gateway.connections ?? 0), rate: mbits })}
      </span>
    </>
  )
  if (!may('gateways')) return <div className={styles.row}>{content}</div>
  return (
    <Link to="/traffic" className={styles.row}>
      {content}
    </Link>
  )
}
