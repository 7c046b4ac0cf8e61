import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Section } from '../../parts/section.tsx'
import { Timeline } from '../../parts/timeline.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import type { Incident } from './incident.ts'
import { CorrectDialog, OpenDialog, UpdateDialog } from './incident-dialogs.tsx'
import styles from './status.module.css'

type Opened = { dialog: 'open' } | { dialog: 'update' | 'correct'; id: string }

/** What the public status page says of the pools, and the incidents that are written here. */
export function StatusPage() {
  const { t } = useTranslation('deskStatus')
  const may = useMay()
  const [after, setAfter] = useState<string | undefined>()
  const known = useQuery(query('incidents', after === undefined ? {} : { after }))
  const [open, setOpen] = useState<Opened | null>(null)
  const close = () => setOpen(null)
  const chosen = known.data?.rows.find(({ id }) => open !== null && 'id' in open && open.id === id)
  return (
    <>
      <PageHead
        title={t('title')}
        actions={
          may('open_incident') && (
            <Button variant="primary" onClick={() => setOpen({ dialog: 'open' })}>
              {t('open')}
            </Button>
          )
        }
      />
      <Loaded query={known}>
        {(data) => (
          <div className={styles.page}>
            <PoolStates shown={data} />
            <Section title={t('incidents')}>
              {data.rows.length === 0 && <p className={styles.quiet}>{t('none')}</p>}
              {data.rows.map((incident) => (
                <IncidentCard
                  key={incident.id}
                  incident={incident}
                  onAct={(dialog) => setOpen({ dialog, id: incident.id })}
                />
              ))}
              <div className={styles.acts}>
                {after !== undefined && (
                  <Button size="small" onClick={() => setAfter(undefined)}>
                    {t('latest')}
                  </Button>
                )}
                {data.next !== null && (
                  <Button size="small" onClick={() => setAfter(data.next ?? undefined)}>
                    {t('older')}
                  </Button>
                )}
              </div>
            </Section>
          </div>
        )}
      </Loaded>
      {open?.dialog === 'open' && <OpenDialog onClose={close} />}
      {open?.dialog === 'update' && chosen !== undefined && (
        <UpdateDialog incident={chosen} onClose={close} />
      )}
      {open?.dialog === 'correct' && chosen !== undefined && (
        <CorrectDialog incident={chosen} onClose={close} />
      )}
    </>
  )
}

const poolTones: Record<DeskOutput<'incidents'>['pools'][number]['state'], Tone> = {
  operational: 'good',
  degraded: 'warning',
  outage: 'bad',
  unknown: 'quiet',
}

function PoolStates({ shown: { pools, updated_at: madeAt, url } }: { shown: DeskOutput<'incidents'> }) {
  const { t } = useTranslation(['deskStatus', 'header'])
  const { percent } = useFigures()
  return (
    <Section
      title={t('pools')}
      actions={
        <a href={url} target="_blank" rel="noreferrer">
          {t('publicPage')}
        </a>
      }
    >
      <ul className={styles.pools}>
        {pools.map(({ pool, state, success }) => (
          <li key={pool}>
            <span>{t(`header:pools.${pool}`)}</span>
            <Badge tone={poolTones[state]}>{t(`now.${state}`)}</Badge>
            <span translate="no">{success === null ? '—' : percent(success)}</span>
          </li>
        ))}
      </ul>
      <p className={styles.quiet}>
        <span>{t('about')}</span>{' '}
        {madeAt !== null && (
          <span>
            <span>{t('madeAt')}</span> <Moment iso={madeAt} />
          </span>
        )}
      </p>
    </Section>
  )
}

const incidentTones: Record<Incident['state'], Tone> = {
  investigating: 'bad',
  identified: 'warning',
  monitoring: 'warning',
  resolved: 'good',
}

function IncidentCard({
  incident,
  onAct,
}: {
  incident: Incident
  onAct: (dialog: 'update' | 'correct') => void
}) {
  const { t } = useTranslation(['deskStatus', 'header'])
  const { language } = useFigures()
  const may = useMay()
  const { title, pools, state, updates } = incident
  return (
    <article className={styles.incident} aria-label={title[language]}>
      <div className={styles.head}>
        <h3>{title[language]}</h3>
        <Badge tone={incidentTones[state]}>{t(`states.${state}`)}</Badge>
        {may('update_incident') && (
          <div className={styles.acts}>
            <Button size="small" onClick={() => onAct('update')}>
              {t('update')}
            </Button>
            <Button size="small" onClick={() => onAct('correct')}>
              {t('correct')}
            </Button>
          </div>
        )}
      </div>
      <p className={styles.quiet}>
        {pools.length === 0 ? t('allElse') : pools.map((pool) => t(`header:pools.${pool}`)).join(', ')}
      </p>
      <Timeline
        items={updates.map(({ id, at, state: then, text }) => ({
          key: id,
          at,
          text: <span className={styles.text}>{text[language]}</span>,
          note: t(`states.${then}`),
        }))}
      />
    </article>
  )
}
