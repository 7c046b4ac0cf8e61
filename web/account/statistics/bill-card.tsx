import { useMutation, useQuery } from '@tanstack/react-query'
import Download from 'lucide-react/icons/download'
import { billHeader } from '#contract/bill/bill'
import { call } from '../../state/api.ts'
import { query } from '../../state/reads/queries.ts'
import { useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { downloadText } from '../../ui/download-text.ts'
import { ReadFailedCard } from '../read-failed.tsx'
import { toastFailure } from '../toast-failure.ts'
import styles from './bill-card.module.css'

/** The bill that can be checked: the hash of its last line, and the file. */
export function BillCard() {
  const { t } = useTranslation('usage')
  const { number } = useFormat()
  const read = useQuery(query('get_bill', { limit: 0 }))
  const { data } = read
  const download = useMutation({
    mutationFn: wholeBill,
    onSuccess: (text) => downloadText('bill.csv', text, 'text/csv'),
    onError: (error) => toastFailure(error, t('billFailed')),
  })
  const proof = useMutation({
    mutationFn: () => call('get_bill_proof', {}),
    onSuccess: (one) =>
      downloadText(`bill-proof-${one.day}.json`, `${JSON.stringify(one, null, 2)}\n`, 'application/json'),
    onError: (error) => toastFailure(error, t('billFailed')),
  })
  if (data === undefined) return read.isError ? <ReadFailedCard what={t('bill')} read={read} /> : null
  const { count, head } = data
  return (
    <Card as="section" aria-label={t('bill')} padding="large">
      <h2 className={styles.title}>{t('bill')}</h2>
      <p className={styles.text}>{t('billText')}</p>
      {count === 0 ? (
        <p className={styles.text}>{t('billEmpty')}</p>
      ) : (
        <dl className={styles.head}>
          <dt>{`${t('billHead')} (${t('billCount', { count, number: number(count) })})`}</dt>
          <dd>
            <span translate="no" className="mono">
              {head}
            </span>
            <CopyButton
              iconOnly
              text={head}
              label={t('copy')}
              copiedLabel={t('copied')}
              failedLabel={t('copyFailed')}
            />
          </dd>
        </dl>
      )}
      {count > 0 && <p className={styles.text}>{t('billKeep')}</p>}
      <div className={styles.acts}>
        {count > 0 && (
          <Button
            icon={<Download size={16} aria-hidden="true" />}
            pending={download.isPending}
            onClick={() => download.mutate()}
          >
            {t('billDownload')}
          </Button>
        )}
        {count > 0 && (
          <Button
            icon={<Download size={16} aria-hidden="true" />}
            pending={proof.isPending}
            onClick={() => proof.mutate()}
          >
            {t('billProof')}
          </Button>
        )}
        <Button href="/verify-bill">{t('billVerify')}</Button>
      </div>
    </Card>
  )
}

/** All lines, page by page. */
async function wholeBill(): Promise<string> {
  const lines = [billHeader]
  for (;;) {
    const page = await call('get_bill', { after: lines.length - 1 })
    lines.push(...page.lines)
    if (page.lines.length === 0 || lines.length > page.count) return [...lines, ''].join('\n')
  }
}
