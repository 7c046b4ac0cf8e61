import { exactBytesIn } from '#contract/exact-bytes'
import { useLanguage } from '../state/i18n.ts'
import styles from './exact-bytes.module.css'

/** Traffic to the byte, below its figure of 2 decimals; nothing where that is exact. */
export function ExactBytes({ bytes }: { bytes: bigint }) {
  const exact = exactBytesIn(bytes, useLanguage())
  return exact === null ? null : (
    <span translate="no" className={styles.exact}>
      {exact}
    </span>
  )
}
