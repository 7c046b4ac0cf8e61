import { type ReactNode, useState } from 'react'
import { CopyButton } from './copy-button.tsx'
import styles from './code-tabs.module.css'
import { Segmented } from './segmented.tsx'

export interface CodeTab {
  key: string
  name: string
  /** Runs as it stands. */
  code: string
  /** Shown in its place when what it holds should not be seen; the code itself is what is copied. */
  shown?: string
  /** What has to be there before it runs. */
  note?: ReactNode
}

interface CodeTabsProps {
  label: string
  tabs: readonly CodeTab[]
  /** Tabs with something else than code. */
  others?: readonly { key: string; name: string; content: ReactNode }[]
  words: { copy: string; copied: string; copyFailed: string }
}

/** The same thing in several languages, one at a time, each to be copied. */
export function CodeTabs({ label, tabs, others = [], words }: CodeTabsProps) {
  const [chosen, setChosen] = useState(tabs[0]?.key ?? '')
  const tab = tabs.find((each) => each.key === chosen)
  const options = [...tabs, ...others].map(({ key, name }) => ({ value: key, label: name }))
  return (
    <div className={styles.tabs}>
      {options.length > 1 && (
        <Segmented label={label} value={chosen} options={options} onChange={setChosen} />
      )}
      {tab !== undefined && (
        <>
          <div className={styles.block}>
            <pre className={styles.code} tabIndex={0} role="region" aria-label={tab.name}>
              <code>{tab.shown ?? tab.code}</code>
            </pre>
            <div className={styles.copy}>
              <CopyButton
                iconOnly
                text={tab.code}
                label={words.copy}
                copiedLabel={words.copied}
                failedLabel={words.copyFailed}
              />
            </div>
          </div>
          {tab.note !== undefined && <p className={styles.note}>{tab.note}</p>}
        </>
      )}
      {others.find((each) => each.key === chosen)?.content}
    </div>
  )
}
