import Download from 'lucide-react/icons/download'
import { useTranslation } from '../../state/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { areEqual } from './lines.ts'
import { downloadLines, type Result } from './use-generate.ts'
import styles from './result-dialog.module.css'
import { TryIt } from './try-it.tsx'

interface ResultDialogProps {
  result: Result
  /** More lines are being generated. */
  pending: boolean
  /** Generates sticky lines in place of these. */
  onSticky: () => void
  onClose: () => void
}

/** Samples that use the first of the generated lines, and the lines, to be copied or downloaded. */
export function ResultDialog({ result, pending, onSticky, onClose }: ResultDialogProps) {
  const { t } = useTranslation(['userPanel', 'userBtns'])
  const { lines } = result
  const copyLabels = { copiedLabel: t('userBtns:copy.done'), failedLabel: t('userBtns:copy.failed') }
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={t('result.title')}
      description={t('result.lines', { count: lines.length })}
      closeLabel={t('result.close')}
      footer={
        <>
          <Button icon={<Download size={18} aria-hidden="true" />} onClick={() => downloadLines(lines)}>
            {t('result.download')}
          </Button>
          <CopyButton text={lines.join('\n')} label={t('result.copyAll')} {...copyLabels} variant="primary" />
        </>
      }
    >
      {areEqual(lines) && (
        <section className={styles.same}>
          <p>{t('result.same')}</p>
          <Button size="small" pending={pending} onClick={onSticky}>
            {t('result.sticky', { count: lines.length })}
          </Button>
        </section>
      )}
      <TryIt result={result} />
      <ol className={styles.lines} aria-label={t('result.list')}>
        {lines.map((line, index) => (
          <li key={`${index} ${line}`} className={styles.line}>
            <span className={styles.number} aria-hidden="true">
              {index + 1}
            </span>
            <code translate="no" className={styles.text}>
              {line}
            </code>
            <CopyButton
              iconOnly
              text={line}
              label={t('result.copyLine', { number: index + 1 })}
              {...copyLabels}
            />
          </li>
        ))}
      </ol>
    </Dialog>
  )
}
