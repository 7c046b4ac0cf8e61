import { classes } from './classes.ts'
import styles from './skeleton.module.css'

/**
 * Holds the place of text that is on its way: as wide as so many characters of the text around it, as high as its
 * line, so that nothing moves when the text arrives.
 */
export function Skeleton({
  characters = 8,
  className,
}: {
  characters?: number
  className?: string | undefined
}) {
  return (
    <span className={classes(styles.skeleton, className)} aria-hidden="true">
      {'0'.repeat(characters)}
    </span>
  )
}
