import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { formatDateTime } from '../../ui/format-time.ts'
import styles from './invoice-page.module.css'
import type { Invoice } from './invoice-state.ts'

type Receipt = Invoice['receipts'][number]

/** The fiscal receipts of an invoice, with the numbers by which the tax service finds them. */
export function Receipts({ receipts }: { receipts: readonly Receipt[] }) {
  const { t } = useTranslation('userPanel')
  if (receipts.length === 0) return null
  return (
    <section className={styles.receipts} aria-labelledby="invoice-receipts">
      <h2 id="invoice-receipts" className={styles.receiptsTitle}>
        {t('receipts.title')}
      </h2>
      {receipts.map((receipt, index) => (
        // The list only grows.
        <ReceiptFacts key={index} receipt={receipt} />
      ))}
    </section>
  )
}

function ReceiptFacts({ receipt }: { receipt: Receipt }) {
  const { t } = useTranslation('userPanel')
  const language = useLanguage()
  const { kind, state, email, registered_at: registeredAt, link } = receipt
  const facts = [
    [t('receipts.document'), receipt.fiscal_document_number],
    [t('receipts.storage'), receipt.fiscal_storage_number],
    [t('receipts.attribute'), receipt.fiscal_attribute],
    [t('receipts.number'), receipt.number],
  ] as const
  return (
    <>
      <p>
        <strong>{t(`receipts.kind.${kind}`)}</strong>{' '}
        <span>{`${state === 'pending' ? t(email === null ? 'receipts.coming' : 'receipts.comingTo', { email: email ?? '' }) : ''}${registeredAt !== null ? formatDateTime(registeredAt, language) : ''}`}</span>
        {link !== null && (
          <>
            {' '}
            <a href={link} target="_blank" rel="noreferrer">
              {t('receipts.open')}
            </a>
          </>
        )}
      </p>
      <dl className={styles.receiptFacts}>
        {facts.map(
          ([name, value]) =>
            value !== null && (
              <div key={name} className={styles.fact}>
                <dt>{name}</dt>
                <dd translate="no" className="mono">
                  {value}
                </dd>
              </div>
            ),
        )}
      </dl>
    </>
  )
}
