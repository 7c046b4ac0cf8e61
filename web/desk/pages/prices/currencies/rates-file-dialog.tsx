import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../../state/i18n.ts'
import { formatDay } from '../../../../ui/format-time.ts'
import { FileField } from '../../../../ui/fields/file-field.tsx'
import { ActDialog } from '../../../parts/act-dialog.tsx'
import { Fault } from '../../../parts/loaded.tsx'
import { useFigures } from '../../../parts/use-figures.ts'
import { call } from '../../../state/api.ts'
import { useAct } from '../../../state/use-act.ts'
import styles from './currencies.module.css'

type Preview = DeskOutput<'preview_rates'>

/** The columns of the file. */
const columns = 'currency, date, rate'

/** Larger files are for the command line. */
const mostBytes = 2 * 1024 * 1024

/** Imports rates from a file; before that, shows its bad lines or its changes. */
export function RatesFileDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['deskPages', 'deskCurrencies'])
  const [file, setFile] = useState<{ name: string; csv: string } | null>(null)
  const [isTooLarge, setTooLarge] = useState(false)
  const { pending, fault, run } = useAct('import_rates', onClose)
  const preview = useMutation({ mutationFn: (csv: string) => call('preview_rates', { csv }) })
  const onFile = async (given: File) => {
    setTooLarge(given.size > mostBytes)
    if (given.size > mostBytes) return setFile(null)
    const csv = await given.text()
    setFile({ name: given.name, csv })
    preview.mutate(csv)
  }
  const found = preview.isPending || file === null ? undefined : preview.data
  return (
    <ActDialog
      title={t('deskCurrencies:importTitle')}
      description={t('deskCurrencies:importText')}
      submit={t('deskCurrencies:doImport')}
      reason="optional"
      pending={pending}
      fault={fault}
      ready={found !== undefined && found.faulty === 0 && found.added > 0}
      onClose={onClose}
      onSubmit={(reason) => file !== null && run({ csv: file.csv, ...(reason === '' ? {} : { reason }) })}
    >
      <FileField
        label={t('deskCurrencies:file')}
        choose={t('deskCurrencies:choose')}
        chosen={file?.name ?? t('deskCurrencies:drop')}
        hint={columns}
        accept=".csv,text/csv"
        onFile={(given) => void onFile(given)}
      />
      {isTooLarge && <Fault text={t('deskCurrencies:tooLarge')} />}
      {preview.error !== null && <Fault text={preview.error.message} />}
      {preview.isPending && <p role="status">{t('deskCurrencies:checking')}</p>}
      {found !== undefined && (
        <div role="status">{found.faulty > 0 ? <Faults found={found} /> : <Changes found={found} />}</div>
      )}
    </ActDialog>
  )
}

function Faults({ found: { faults, faulty } }: { found: Preview }) {
  const { t } = useTranslation(['deskPages', 'deskCurrencies'])
  const { number } = useFigures()
  return (
    <section className={styles.outcome} aria-label={t('deskCurrencies:faults')}>
      <p>{t('deskCurrencies:faultsText')}</p>
      <ul className={styles.faults}>
        {faults.map((fault) => (
          <li key={fault}>{fault}</li>
        ))}
        {faulty > faults.length && (
          <li>{t('deskCurrencies:faultsMore', { count: number(faulty - faults.length) })}</li>
        )}
      </ul>
    </section>
  )
}

function Changes({ found: { added, known, changes } }: { found: Preview }) {
  const { t } = useTranslation(['deskPages', 'deskCurrencies'])
  const { number, language } = useFigures()
  return (
    <section className={styles.outcome} aria-label={t('deskCurrencies:preview')}>
      <p>{t('deskCurrencies:counts', { added: number(added), known: number(known) })}</p>
      {changes.length > 0 && (
        <table className={styles.table}>
          <caption className="sr-only">{t('deskCurrencies:preview')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('deskCurrencies:currency')}</th>
              <td>{t('deskCurrencies:before')}</td>
              <td>{t('deskCurrencies:after')}</td>
              <td>{t('deskCurrencies:of')}</td>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ currency, before, after, on }) => (
              <tr key={currency}>
                <th scope="row">{currency}</th>
                <td>{before ?? '—'}</td>
                <td>{after}</td>
                <td>{formatDay(on, language)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
