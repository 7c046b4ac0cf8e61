import { useToldRead } from '../../state/told-read.ts'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeskInput, DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { FileField } from '../../../ui/fields/file-field.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { Fault } from '../../parts/loaded.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { call, query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { useAct } from '../../state/use-act.ts'
import styles from './places.module.css'
import { useCountryName } from '../../parts/use-country-name.ts'

type Owner = DeskInput<'import_places'>['owner']
type Comparison = NonNullable<DeskOutput<'preview_places'>['comparison']>

/** Larger files are for the command line. */
const mostBytes = 24 * 1024 * 1024

/** Imports a file of places; before that, shows its source, its changes, and its faults by line. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['deskPlaces', 'header'])
  const may = useMay()
  const exits = useToldRead({ ...query('exits', {}), enabled: may('exits') })
  const [exitId, setExitId] = useState('')
  const [name, setName] = useState('own')
  const [file, setFile] = useState<{ name: string; csv: string } | null>(null)
  const [isTooLarge, setTooLarge] = useState(false)
  const { pending, fault, run } = useAct('import_places', onClose)
  const preview = useMutation({
    mutationFn: (input: DeskInput<'preview_places'>) => call('preview_places', input),
  })
  const owner: Owner = exitId === '' ? { kind: 'source', name: name.trim() } : { kind: 'exit', id: exitId }
  const look = (csv: string, whose: Owner) => preview.mutate({ owner: whose, csv })
  const onFile = async (given: File) => {
    setTooLarge(given.size > mostBytes)
    if (given.size > mostBytes) return setFile(null)
    const csv = await given.text()
    setFile({ name: given.name, csv })
    look(csv, owner)
  }
  const comparison = preview.data?.comparison ?? null
  return (
    <ActDialog
      title={t('places.import')}
      submit={t('places.doImport')}
      reason="optional"
      pending={pending}
      fault={fault}
      ready={file !== null && comparison !== null && !preview.isPending}
      onClose={onClose}
      onSubmit={(reason) =>
        file !== null && run({ owner, csv: file.csv, ...(reason === '' ? {} : { reason }) })
      }
    >
      <SelectField
        label={t('places.whose')}
        value={exitId}
        options={[
          { value: '', label: t('places.ownSource') },
          ...(exits.data ?? []).map((exit) => ({
            value: exit.id,
            label: `${exit.name}, ${t(`header:pools.${exit.pool}`)}`,
          })),
        ]}
        onChange={(next) => {
          setExitId(next)
          const whose: Owner =
            next === '' ? { kind: 'source', name: name.trim() } : { kind: 'exit', id: next }
          if (file !== null) look(file.csv, whose)
        }}
      />
      {exitId === '' && (
        <TextField
          label={t('places.sourceName')}
          hint={t('places.sourceHint')}
          maxLength={32}
          mono
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.target.value)}
          onBlur={() => file !== null && look(file.csv, owner)}
        />
      )}
      <FileField
        label={t('places.file')}
        choose={t('places.choose')}
        chosen={file?.name ?? t('places.drop')}
        hint={t('places.columns')}
        accept=".csv,text/csv"
        onFile={(given) => void onFile(given)}
      />
      {isTooLarge && <Fault text={t('places.tooLarge')} />}
      {preview.error !== null && <Fault text={preview.error.message} />}
      {preview.isPending && <p role="status">{t('places.checking')}</p>}
      {!preview.isPending && preview.data !== undefined && (
        <div role="status">
          {comparison === null ? (
            <Faults faults={preview.data.faults} />
          ) : (
            <Changes comparison={comparison} />
          )}
        </div>
      )}
    </ActDialog>
  )
}

function Faults({ faults }: { faults: readonly string[] }) {
  const { t } = useTranslation('deskPlaces')
  return (
    <section className={styles.outcome} aria-label={t('places.faults')}>
      <p>{t('places.faultsText')}</p>
      <ul className={styles.faults} lang="en">
        {faults.map((fault) => (
          <li key={fault}>{fault}</li>
        ))}
      </ul>
    </section>
  )
}

function Changes({ comparison }: { comparison: Comparison }) {
  const { t } = useTranslation(['deskPlaces', 'header'])
  const { number } = useFigures()
  const countryName = useCountryName()
  const { added, removed, changed, countries } = comparison
  return (
    <section className={styles.outcome} aria-label={t('places.preview')}>
      <p>
        {t('places.counts', { added: number(added), removed: number(removed), changed: number(changed) })}
      </p>
      <p className={styles.quiet}>
        {t('places.totals', {
          rows: number(comparison.rows),
          before: number(comparison.addresses_before),
          after: number(comparison.addresses_after),
        })}
      </p>
      {countries.length > 0 && (
        <table className={styles.table}>
          <caption className="sr-only">{t('places.preview')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('places.country')}</th>
              <td>{t('places.before')}</td>
              <td>{t('places.after')}</td>
            </tr>
          </thead>
          <tbody>
            {countries.slice(0, 10).map(({ pool, country, before, after }) => (
              <tr key={`${pool} ${country}`}>
                <th scope="row">{`${countryName(country)}, ${t(`header:pools.${pool}`)}`}</th>
                <td translate="no">{number(before)}</td>
                <td translate="no">{number(after)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
