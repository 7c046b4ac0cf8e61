import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Section } from '../../parts/section.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { useAct } from '../../state/use-act.ts'
import styles from './places.module.css'

type Source = DeskOutput<'place_sources'>[number]
type File = Source['files'][number]

/** The sources of places, and earlier files that can be restored. */
export function SourceList() {
  const { t } = useTranslation('deskPlaces')
  const sources = useQuery(query('place_sources', {}))
  const mayChange = useMay()('remove_places')
  const [removing, setRemoving] = useState<string | null>(null)
  const [restoring, setRestoring] = useState<{ source: Source; file: File } | null>(null)
  return (
    <>
      <Loaded query={sources}>
        {(rows) =>
          rows.length === 0 ? (
            <p>{t('places.noSources')}</p>
          ) : (
            <div className={styles.sources}>
              {rows.map((source) => (
                <SourceSection
                  key={source.name}
                  source={source}
                  onRemove={mayChange ? () => setRemoving(source.name) : null}
                  onRestore={mayChange ? (file) => setRestoring({ source, file }) : null}
                />
              ))}
            </div>
          )
        }
      </Loaded>
      {removing !== null && <RemoveDialog source={removing} onClose={() => setRemoving(null)} />}
      {restoring !== null && <RestoreDialog {...restoring} onClose={() => setRestoring(null)} />}
    </>
  )
}

interface SourceSectionProps {
  source: Source
  onRemove: (() => void) | null
  onRestore: ((file: File) => void) | null
}

function SourceSection({ source, onRemove, onRestore }: SourceSectionProps) {
  const { t } = useTranslation(['deskPlaces', 'header'])
  const { number } = useFigures()
  const title = source.exit === null ? source.name : t('places.exit', { name: source.exit.name })
  return (
    <Section
      title={title}
      actions={
        onRemove !== null && (
          <Button
            size="small"
            variant="ghost"
            aria-label={t('places.removeNamed', { name: title })}
            onClick={onRemove}
          >
            {t('places.remove')}
          </Button>
        )
      }
    >
      <p className={styles.quiet}>
        {`${source.demo ? `${t('places.demo')} ` : ''}${t('places.has', {
          addresses: number(source.addresses),
          countries: number(source.countries),
          pools: source.pools.map((pool) => t(`header:pools.${pool}`)).join(', '),
        })}`}
      </p>
      {source.files.length > 0 && (
        <ul className={styles.files}>
          {source.files.map((file, index) => (
            <li key={file.id} className={styles.fileRow}>
              <Moment iso={file.at} />
              <span>{t('places.rows', { count: Number(file.rows) })}</span>
              <span>{file.by}</span>
              {index === 0 ? (
                <strong>{t('places.present')}</strong>
              ) : file.kept ? (
                onRestore !== null && (
                  <Button size="small" onClick={() => onRestore(file)}>
                    {t('places.goBack')}
                  </Button>
                )
              ) : (
                <span className={styles.quiet}>{t('places.notKept')}</span>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

function RemoveDialog({ source, onClose }: { source: string; onClose: () => void }) {
  const { t } = useTranslation('deskPlaces')
  const { pending, fault, run } = useAct('remove_places', onClose)
  return (
    <ActDialog
      title={t('places.removeTitle', { name: source })}
      description={t('places.removeText')}
      submit={t('places.remove')}
      isDanger
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={(reason) => run({ source, reason })}
    />
  )
}

function RestoreDialog({ source, file, onClose }: { source: Source; file: File; onClose: () => void }) {
  const { t } = useTranslation('deskPlaces')
  const { pending, fault, run } = useAct('restore_places', onClose)
  const { time } = useFigures()
  return (
    <ActDialog
      title={t('places.restoreTitle', { name: source.exit?.name ?? source.name })}
      description={t('places.restoreText', { at: time(file.at), rows: file.rows })}
      submit={t('places.goBack')}
      reason="optional"
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={(reason) => run({ file_id: file.id, ...(reason === '' ? {} : { reason }) })}
    />
  )
}
