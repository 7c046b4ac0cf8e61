import { classNames } from './class-names.ts'
import styles from './skeleton.module.css'

/**
 * A placeholder for text that is loading: as wide as the given number of characters and as high as a line, so
 * that nothing moves when the text arrives.
 */
export function Skeleton({
  characters = 8,
  className,
}: {
  characters?: number
  className?: string | undefined
}) {
  return (
    <span className={classNames(styles.skeleton, className)} aria-hidden="true">
      {'0'.repeat(characters)}
    </span>
  )
}
