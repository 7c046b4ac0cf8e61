import { classes } from './classes.ts'
import styles from './lane.module.css'

/** The dashed centre line: it leads the eye down the page to the way on. As long as the place it is given. */
export function Lane({ className }: { className?: string | undefined }) {
  return <span className={classes(styles.lane, className)} aria-hidden="true" />
}
