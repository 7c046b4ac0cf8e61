import Download from 'lucide-react/icons/download'
import { useTranslation } from '../../state/i18n.ts'
import { downloadText } from '../../ui/download-text.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import styles from './recovery-codes.module.css'

/** The recovery codes, shown this once. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const { t } = useTranslation('desk')
  const text = `${codes.join('\n')}\n`
  return (
    <div className={styles.box}>
      <p>{t('recovery.text')}</p>
      <ol className={styles.codes}>
        {codes.map((code) => (
          <li key={code} className="mono">
            {code}
          </li>
        ))}
      </ol>
      <div className={styles.acts}>
        <CopyButton
          text={text}
          label={t('copy.act')}
          copiedLabel={t('copy.done')}
          failedLabel={t('copy.failed')}
        />
        <Button
          icon={<Download size={18} aria-hidden="true" />}
          onClick={() => downloadText('turnpike-recovery-codes.txt', text, 'text/plain')}
        >
          {t('recovery.download')}
        </Button>
      </div>
    </div>
  )
}
