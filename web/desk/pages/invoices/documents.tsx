import { useMutation } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { downloadBlob } from '../../../ui/download-text.ts'
import { Fault } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Section } from '../../parts/section.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { call } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import styles from './invoice.module.css'

type Invoice = DeskOutput<'invoice'>

/** The invoices and credit notes as PDF, or why one is missing. */
export function Documents({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation('deskPages')
  const { usd } = useFigures()
  const mayLoad = useMay()('invoice_document')
  const load = useMutation({
    mutationFn: async ({ id, kind, number, specimen }: Invoice['documents'][number]) => {
      const prefix = specimen ? 'specimen' : kind.replace('_', '-')
      downloadBlob(`${prefix}-${number}.pdf`, await call('invoice_document', { number: invoice.number, id }))
    },
  })
  if (invoice.settled_at === null) return null
  const { documents, document_waits: waits } = invoice
  return (
    <Section title={t('documents.title')}>
      {load.error !== null && <Fault text={load.error.message} />}
      <ul className={styles.documents}>
        {documents.map((one) => {
          const name = t(`documents.${one.specimen ? 'specimen' : one.kind}`, { number: one.number })
          return (
            <li key={one.id}>
              <span>
                <span>{name}</span>
                <span className={styles.quiet}>
                  <Moment iso={one.at} />
                  <span>{`, ${usd(one.amount_micros)}`}</span>
                </span>
              </span>
              {mayLoad && (
                <Button
                  size="small"
                  aria-label={`${t('documents.download')}: ${name}`}
                  pending={load.isPending && load.variables.id === one.id}
                  onClick={() => load.mutate(one)}
                >
                  {t('documents.download')}
                </Button>
              )}
            </li>
          )
        })}
      </ul>
      {waits === 'seller' ? (
        <p>
          <span>{t('documents.waitsSeller')}</span>{' '}
          <Link to="/shop?tab=seller">{t('documents.setSeller')}</Link>
        </p>
      ) : waits === 'job' ? (
        <p className={styles.quiet}>{t('documents.waitsJob')}</p>
      ) : (
        documents.length === 0 && <p className={styles.quiet}>{t('documents.none')}</p>
      )}
    </Section>
  )
}
