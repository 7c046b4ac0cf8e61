import Download from 'lucide-react/icons/download'
import { useTranslation } from '../../state/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { downloadLines, type Result } from './use-generate.ts'
import styles from './result-dialog.module.css'
import { TryIt } from './try-it.tsx'

/** The generated lines, to be copied or downloaded, and samples that use the first one. */
export function ResultDialog({ result, onClose }: { result: Result; onClose: () => void }) {
  const { t } = useTranslation('userPanel')
  const { lines } = result
  const copyLabels = { copiedLabel: t('copy.done'), failedLabel: t('copy.failed') }
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
      <ol className={styles.lines} aria-label={t('result.list')}>
        {lines.map((line, index) => (
          <li key={`${index} ${line}`} className={styles.line}>
            <span className={styles.number} aria-hidden="true">
              {index + 1}
            </span>
            <code className={styles.text}>{line}</code>
            <CopyButton
              iconOnly
              text={line}
              label={t('result.copyLine', { number: index + 1 })}
              {...copyLabels}
            />
          </li>
        ))}
      </ol>
      <TryIt result={result} />
    </Dialog>
  )
}
