#!/usr/bin/env bash
# Docks a pair on two nodes with four GPUs each, under Slurm:
#
#   sbatch examples/cluster/dock.sh receptor.pdb ligand.pdb results
#
# A rank takes the GPU of its number on its node. All ranks read the molecules, and write into the
# folder of results, so both must be on a file system that all nodes share. A minute before its time
# is up the job is told to end: it keeps what is finished and goes back into the queue, and --resume
# goes on from there, with however many ranks there are then.
#SBATCH --job-name=dock
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-node=4
#SBATCH --cpus-per-task=4
#SBATCH --time=01:00:00
#SBATCH --signal=TERM@60
#SBATCH --requeue
set -u

# --mpi names what this site's MPI library understands; srun --mpi=list tells which there are. Without
# --kill-on-bad-exit the others would wait for a rank that was killed until the job's time is up. Since
# Slurm 22.05 srun does not take over sbatch's --cpus-per-task.
srun --mpi=pmix --kill-on-bad-exit=1 --cpus-per-task="$SLURM_CPUS_PER_TASK" \
    tesela dock "$1" "$2" --rotations spiral:54000 --resume -o "$3"
status=$?
if [ "$status" -eq 143 ]; then # 128 + SIGTERM
    scontrol requeue "$SLURM_JOB_ID"
fi
exit "$status"
