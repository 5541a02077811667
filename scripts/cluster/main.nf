// A batch by Nextflow: N shards, and the lists when all are done.
//   nextflow run scripts/cluster/main.nf --list recordings.csv --out results --shards 8
// Shards write into one folder that all hosts see, not into the work folders of their tasks, so paths are made absolute.
// A shard whose recordings failed (3, 4, 7) does not fail: failures.csv has them.
params.shards = 4
params.beatscan = 'beatscan'
params.args = ''

process SHARD {
  tag "${shard}/${params.shards}"
  input:
    val shard
    val list
    val out
  output:
    val shard
  script:
    """
    '${params.beatscan}' run --list '${list}' --shard ${shard}/${params.shards} --out '${out}' --resume \\
      ${params.args} || case \$? in 3|4|7) ;; *) exit 1 ;; esac
    """
}

process COHORT {
  input:
    val shards
    val list
    val out
  script:
    """
    '${params.beatscan}' cohort '${out}' --list '${list}'
    """
}

workflow {
  list = file(params.list).toAbsolutePath().toString()
  out = file(params.out).toAbsolutePath().toString()
  SHARD(Channel.of(0..<params.shards.toInteger()), list, out)
  COHORT(SHARD.out.collect(), list, out)
}
