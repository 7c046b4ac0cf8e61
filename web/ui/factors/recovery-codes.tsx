import Download from 'lucide-react/icons/download'
import { Button } from '../button.tsx'
import { CopyButton } from '../copy-button.tsx'
import { downloadText } from '../download-text.ts'
import type { FactorWords } from './factor-words.ts'
import styles from './recovery-codes.module.css'

interface RecoveryCodesProps {
  words: FactorWords
  codes: readonly string[]
  /** The name of the file. */
  fileName: string
}

/** The recovery codes, which are shown only once. */
export function RecoveryCodes({ words, codes, fileName }: RecoveryCodesProps) {
  const text = `${codes.join('\n')}\n`
  return (
    <div className={styles.box}>
      <p>{words.codesText}</p>
      <ol className={styles.codes}>
        {codes.map((code) => (
          <li translate="no" key={code} className="mono">
            {code}
          </li>
        ))}
      </ol>
      <div className={styles.acts}>
        <CopyButton
          text={text}
          label={words.copy}
          copiedLabel={words.copied}
          failedLabel={words.copyFailed}
        />
        <Button
          icon={<Download size={18} aria-hidden="true" />}
          onClick={() => downloadText(fileName, text, 'text/plain')}
        >
          {words.download}
        </Button>
      </div>
    </div>
  )
}
