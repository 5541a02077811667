process BEATSCAN_RUN {
    tag "${meta.id}"
    label 'process_low'

    // Neither is published yet. Until then the program on PATH serves: leave out the profiles conda, docker, singularity.
    conda "${moduleDir}/environment.yml"
    container "${workflow.containerEngine in ['singularity', 'apptainer'] && !task.ext.singularity_pull_docker_container
        ? 'https://depot.galaxyproject.org/singularity/beatscan:0.2.0--0'
        : 'quay.io/biocontainers/beatscan:0.2.0--0'}"

    input:
    // All files of one recording: of a WFDB record the header (.hea) and its signal files, otherwise one file.
    tuple val(meta), path(recording, stageAs: 'input/*')

    output:
    tuple val(meta), path("${prefix}/beats.csv"), emit: beats
    tuple val(meta), path("${prefix}/episodes.csv"), emit: episodes
    tuple val(meta), path("${prefix}/summary.json"), emit: summary
    tuple val(meta), path("${prefix}/report.html"), emit: report, optional: true
    tuple val(meta), path("${prefix}/*_mqc.json"), emit: multiqc
    tuple val("${task.process}"), val('beatscan'), eval("beatscan --version | sed 's/beatscan //'"), topic: versions, emit: versions_beatscan

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    def files = recording instanceof List ? recording : [recording]
    def header = files.find { part -> part.name.endsWith('.hea') } ?: files[0]
    """
    beatscan run '${header}' \\
        --out '${prefix}' \\
        --threads ${task.cpus} \\
        ${args}
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    mkdir -p '${prefix}'
    touch '${prefix}'/{beats.csv,episodes.csv,summary.json,report.html,${prefix}_mqc.json}
    """
}
