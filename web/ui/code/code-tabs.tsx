import { type ReactNode, useState } from 'react'
import { CopyButton } from '../copy-button.tsx'
import styles from './code-tabs.module.css'
import { Segmented } from '../fields/segmented.tsx'

export interface CodeTab {
  key: string
  name: string
  /** A complete program or command. */
  code: string
  /** Shown instead of the code where the code contains a secret; copying copies the code. */
  shown?: string
  /** What has to be installed to run it. */
  note?: ReactNode
}

interface CodeTabsProps {
  label: string
  tabs: readonly CodeTab[]
  /** Further tabs with any content. */
  others?: readonly { key: string; name: string; content: ReactNode }[]
  labels: { copy: string; copied: string; copyFailed: string }
}

/** Code samples of one task in several languages, one shown at a time, each with a copy button. */
export function CodeTabs({ label, tabs, others = [], labels }: CodeTabsProps) {
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
            <pre translate="no" className={styles.code} tabIndex={0} role="region" aria-label={tab.name}>
              <code>{tab.shown ?? tab.code}</code>
            </pre>
            <div className={styles.copy}>
              <CopyButton
                iconOnly
                text={tab.code}
                label={labels.copy}
                copiedLabel={labels.copied}
                failedLabel={labels.copyFailed}
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
