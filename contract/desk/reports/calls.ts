import { read, readPeriod } from '../call.ts'

/** Reports, their postings, and the figures of today. */
export const reportsDeskWire = {
  report: readPeriod({ needs: 'reports.read', masked: [], file: true }),
  month_books: read({ needs: 'reports.read', masked: [], file: false }),
  postings: readPeriod({ needs: 'reports.read', masked: [], file: true }),
  today: read({ needs: 'reports.read', masked: [], file: false }),
}
