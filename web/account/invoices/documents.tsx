import { useMutation, useQuery } from '@tanstack/react-query'
import FileDown from 'lucide-react/icons/file-down'
import type { Output } from '#contract/contract'
import { call } from '../../state/api.ts'
import { query } from '../../state/reads/queries.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { downloadBlob } from '../../ui/download-text.ts'
import { formatDateTime } from '../../ui/format-time.ts'
import { ReadFailed } from '../read-failed.tsx'
import { toastFailure } from '../toast-failure.ts'
import styles from './documents.module.css'
import type { Invoice } from './invoice-state.ts'

type Line = Output<'invoice_documents'>[number]

/**
 * A job creates a document within seconds; after this many reads the page stops polling, and the next visit
 * shows the document.
 */
const mostQuestions = 10

/** The documents of an invoice, to be downloaded; nothing while there are none. */
export function Documents({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation('userPanel')
  const { state, number } = invoice
  const isRefunded = state === 'partly_refunded' || state === 'refunded'
  const isSettled = state === 'paid' || isRefunded
  const expected = isRefunded ? 2 : 1
  const read = useQuery({
    ...query('invoice_documents', { number }),
    enabled: isSettled || state === 'underpaid',
    staleTime: 0,
    refetchInterval: ({ state: { data: known, dataUpdateCount } }) =>
      isSettled && (known?.length ?? 0) < expected && dataUpdateCount < mostQuestions && 2000,
  })
  const { data = [] } = read
  if (read.isError && read.data === undefined)
    return (
      <ReadFailed
        what={t('invoices.documents.title')}
        pending={read.isFetching}
        onRetry={() => void read.refetch()}
      />
    )
  if (data.length === 0) return null
  return (
    <section aria-labelledby="invoice-documents">
      <h3 id="invoice-documents" className={styles.title}>
        {t('invoices.documents.title')}
      </h3>
      <ul className={styles.list}>
        {data.map((line) => (
          <DocumentRow key={line.id} number={number} line={line} />
        ))}
      </ul>
    </section>
  )
}

function DocumentRow({ number, line }: { number: string; line: Line }) {
  const { t } = useTranslation('userPanel')
  const language = useLanguage()
  const { usd } = useFormat()
  const name = t(`invoices.documents.${line.specimen ? 'specimen' : line.kind}`, { number: line.number })
  const load = useMutation({
    mutationFn: async () => {
      // The answer of a call with bytes is a Blob in the browser.
      const file: unknown = await call('invoice_document', { number, id: line.id })
      const prefix = line.specimen ? 'specimen' : line.kind.replace('_', '-')
      downloadBlob(`${prefix}-${line.number}.pdf`, file as Blob)
    },
    onError: (error) => toastFailure(error, t('invoices.documents.failed')),
  })
  return (
    <li className={styles.row}>
      <span className={styles.name}>
        <span>{name}</span>
        <span className={styles.note}>
          {`${formatDateTime(line.issued_at, language)}, ${usd(line.amount_usd)}`}
        </span>
      </span>
      <Button
        size="small"
        icon={<FileDown size={16} aria-hidden="true" />}
        pending={load.isPending}
        aria-label={`${t('invoices.documents.download')}: ${name}`}
        onClick={() => load.mutate()}
      >
        {t('invoices.documents.download')}
      </Button>
    </li>
  )
}
