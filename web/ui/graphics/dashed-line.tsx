import { classNames } from '../class-names.ts'
import styles from './dashed-line.module.css'

/** A vertical dashed line that fills the height of its container. Decorative. */
export function DashedLine({ className }: { className?: string | undefined }) {
  return <span className={classNames(styles.line, className)} aria-hidden="true" />
}
