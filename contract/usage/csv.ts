/** Fields of CSV files that browsers write, by the rule of the server's. */
export { csvField } from '#lib/csv/print-csv'
